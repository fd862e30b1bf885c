import type { SimulatedOrder } from '@business-loan-orders/order-simulator';
import { onTestFinished } from 'vitest';
import type { Choice } from '../../../core/order/choices.ts';
import { Partner } from '../../helpers/partner.ts';
import type { Evidence } from '../../simulation/checks/evidence.ts';
import { documentBytes, orderPackage } from '../../simulation/people/packages.ts';
import type { OrderPlan } from '../../simulation/plan/order-plan.ts';
import { planOrder } from '../../simulation/plan/plan.ts';

const orderRef = 'order-1';

/** A plan without anything unusual, with two documents. */
function plainPlan(choose: OrderPlan['choose']): OrderPlan {
  const documents = ['charter.pdf', 'balance.pdf'].map((name) => ({ name, size: 100 }));
  return {
    ...planOrder('1', orderRef),
    scenario: undefined,
    broken: undefined,
    operatorAway: false,
    documents,
    choose,
  };
}

/** The evidence of an order that was driven to CLOSED at a real simulator without any violation. */
export async function finishedOrder({ choose = 'manual' }: Partial<Pick<OrderPlan, 'choose'>> = {}) {
  const partner = await Partner.start();
  onTestFinished(() => partner.simulator.close());
  const plan = plainPlan(choose);
  const orderId = await partner.toDocuments(orderPackage(plan).order);
  for (const { file, ...fields } of orderPackage(plan).documents) {
    const content = documentBytes(plan, file);
    await partner.upload(`/v1/orders/${orderId}/documents`, fields, [{ field: 'file', name: file, content }]);
  }
  await partner.accept(orderId);
  await partner.afterProcessing(orderId);
  const order = partner.simulator.order(orderId) as SimulatedOrder;
  for (const { fileId } of order.generatedDocuments) await partner.uploadSignature(orderId, fileId);
  const signatures = new Map(order.signatures.map(({ fileId, file }) => [fileId, [{ sha256: file.sha256, at: 0 }]]));
  await partner.accept(orderId);
  await partner.afterProcessing(orderId);
  const available = order.offers.filter(({ status }) => status === 'AVAILABLE').slice(0, 2);
  const chosen = available.map(({ offerId, creditOptions }) => ({ offerId, code: creditOptions[0]?.code ?? '' }));
  for (const choice of chosen) await partner.confirm(orderId, choice);
  partner.passSeconds(partner.simulator.settings.bankSeconds);
  await partner.read(orderId);
  const evidence: Evidence = {
    plan,
    orders: [order],
    items: recordOf(orderId, chosen, [...signatures.keys()]),
    running: false,
    confirmedStatus: 'CONFIRMED',
    kmsCertificate: Buffer.from('the certificate of the KMS key'),
    rejected: false,
    choicesPage: { choices: chosen.map((choice) => ({ ...choice, state: 'confirmed' })) },
    retries: [],
    seen: [],
    history: { failures: [], untried: [] },
    acts: {
      signatures,
      chosen: choose === 'manual' ? chosen : [],
      chosenLast: choose === 'manual' ? chosen : [],
      decided: true,
      decisions: [],
    },
    calls: partner.simulator.calls(),
  };
  return { evidence, order, partner };
}

function recordOf(orderId: string, chosen: Choice[], signed: string[]): Evidence['items'] {
  const decision = { choices: chosen.map((choice) => ({ ...choice })), none: false, version: 1 };
  const done = (name: string, outcome = {}) => ({ orderRef, item: `operation#${name}`, state: 'done', outcome });
  return [
    { orderRef, item: 'order', orderId, status: 'CLOSED', waitingFor: 'nobody', decision },
    done('create'),
    done('upload-document#1#0@first'),
    done('upload-document#1#1@first'),
    done('accept-documents#1'),
    done('accept-signatures#1'),
    ...signed.map((fileId) => done(`upload-signature#1#${fileId}@first`)),
    ...chosen.map((choice) => done(`confirm#${choice.offerId}`, { ...choice })),
  ];
}
