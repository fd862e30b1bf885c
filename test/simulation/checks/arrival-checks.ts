import type { SimulatedOrder } from '@business-loan-orders/order-simulator';
import type { OrderPlan } from '../plan/order-plan.ts';
import type { SeenOperation } from './witness.ts';

/** What is wrong with a document that arrives: the service does not ask for it. Late functions may send one. */
export function uploadProblem({ goesBack, interruptions }: OrderPlan, { status }: SimulatedOrder): string | undefined {
  const isExpected = status === 'WAITING_FOR_DOCUMENTS' || goesBack || interruptions.length > 0;
  return isExpected ? undefined : `a document arrived in ${status}`;
}

/** What is wrong with an accept or a confirm that arrives at the service, whatever the service makes of it. */
export function arrivalProblem(
  call: 'accept' | 'confirm',
  plan: OrderPlan,
  order: SimulatedOrder,
  body: string,
  ledger: ReadonlyMap<string, SeenOperation>,
): string | undefined {
  const offerId = order.offers.find((offer) => body.includes(offer.offerId))?.offerId ?? '';
  const open = [...ledger].filter(([, { state }]) => state === 'open');
  const isOurs = (name: string) => name.startsWith(call === 'accept' ? 'accept-' : `confirm#${offerId}`);
  if (!open.some(([name]) => isOurs(name)))
    return `a ${call} arrived at the service that our ledger does not call open`;
  if (call === 'accept') return acceptProblem(plan, order);
  if (order.confirmations.some((one) => one.offerId === offerId)) return `a second confirm of ${offerId} arrived`;
  const isUnknown = (name: string) => name.startsWith('confirm#') && !isOurs(name);
  const isAnswered = ({ failure, httpStatus = '' }: SeenOperation) =>
    failure === 'Rejected' || (failure !== undefined && httpStatus.startsWith('2'));
  const isBeside = open.some(([name, seen]) => isUnknown(name) && !isAnswered(seen));
  if (!isBeside || order.status !== 'OFFERS_AVAILABLE') return undefined;
  return `a confirm of ${offerId} arrived beside one of unknown outcome`;
}

function acceptProblem({ documents, goesBack }: OrderPlan, order: SimulatedOrder): string | undefined {
  const { status, uploadedDocuments, generatedDocuments } = order;
  const { round } = generatedDocuments.at(-1) ?? {};
  const unsigned = generatedDocuments.filter((one) => one.round === round && !one.signature).length;
  const arrived = new Set(uploadedDocuments.map(({ sourceEntityId }) => sourceEntityId)).size;
  const missing = new Map([
    ['WAITING_FOR_DOCUMENTS', documents.length - arrived],
    ['WAITING_FOR_SIGNATURE', unsigned],
  ]).get(status);
  // The service may go back while an accept is under way.
  return missing === 0 || goesBack
    ? undefined
    : `an accept arrived in ${status}, where ${missing ?? 'no'} files are missing`;
}
