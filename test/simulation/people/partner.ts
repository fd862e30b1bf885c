import { createHash } from 'node:crypto';
import type { AwsRequest } from '@business-loan-orders/embedded-aws';
import type { SimulatedOrder } from '@business-loan-orders/order-simulator';
import type { Choice } from '../../../core/package/kept-decision.ts';
import { Dice } from '../plan/dice.ts';
import type { OrderPlan } from '../plan/order-plan.ts';
import { orderAt } from '../world/references.ts';
import type { SimulatedWorld } from '../world/simulated-world.ts';
import { Signer } from './signer.ts';
import type { PartnerActs } from './uploads.ts';

export class Partner {
  readonly #world: SimulatedWorld;
  readonly #signer: Signer;

  constructor(world: SimulatedWorld) {
    this.#world = world;
    this.#signer = new Signer(world);
  }

  /** Begins to upload the package `start` virtual seconds from now. */
  submit(plan: OrderPlan, start: number): void {
    const { schedule, uploads } = this.#world;
    const { orderRef } = plan;
    let after = start;
    for (const { file, delay, isArchived } of plan.uploads) {
      after += delay;
      schedule.later(after, async () => {
        if (file === 'order.json') await this.#putPackage(plan);
        else await uploads.put(orderRef, file, documentBytes(plan, file), isArchived && 'GLACIER');
      });
    }
  }

  /** Called for each request of a function to S3. A staged page tells the partner what to do. */
  onRequest(orderRef: string, { service, operation, path }: AwsRequest): void {
    const plan = this.#world.plans.get(orderRef);
    const staged = service === 'S3' && operation === 'PUT' ? path.split('?', 1)[0]?.split('/').at(-1) : undefined;
    if (!plan) return;
    const { schedule, simulator } = this.#world;
    if (staged === 'offers.json') {
      schedule.atWork(plan.decision.delay, () => decide(this.#world, plan, orderAt(simulator, orderRef)));
    } else if (staged === 'to-sign.json' && plan.signer === 'partner') {
      schedule.atWork(plan.signing.delay, () => this.#signer.signStaged(plan));
    }
  }

  /** Called when the service answers a read. An early partner acts on it before the functions can. */
  onRead(orderRef: string, order: SimulatedOrder): void {
    const plan = this.#world.plans.get(orderRef);
    if (order.status === 'WAITING_FOR_SIGNATURE' && plan?.signer === 'partner' && plan.signing.early)
      this.#world.schedule.later(0, () => this.#signer.signShown(plan, order));
    if (order.status === 'OFFERS_AVAILABLE' && plan?.decision.early)
      this.#world.schedule.later(0, () => decide(this.#world, plan, order));
  }

  async #putPackage(plan: OrderPlan): Promise<void> {
    const { schedule, uploads } = this.#world;
    const { orderRef, broken, secondVersionAfter } = plan;
    const put = async (content: unknown) => {
      await uploads.put(orderRef, 'order.json', JSON.stringify(content));
    };
    await put(
      broken ? { ...orderPackage(plan), documents: [{ file: 'documents/not-there.pdf' }] } : orderPackage(plan),
    );
    if (broken?.correctedAfter !== undefined) schedule.later(broken.correctedAfter, () => put(orderPackage(plan)));
    if (secondVersionAfter !== undefined && !broken)
      schedule.later(secondVersionAfter, () => put(orderPackage(plan, { amount: 1 })));
  }
}

/** The rule of packages that choose by rule: the first two AVAILABLE offers, each with its first code. */
const RULE = "(offers[status='AVAILABLE'])[[0..1]].{ 'offerId': offerId, 'code': creditOptions[0].code }";

/** The `order.json` of an order. Its order data contain the orderRef, by which we find the order at the service. */
function orderPackage({ orderRef, scenario, documents, choose, signer }: OrderPlan, { amount = 5_000_000 } = {}) {
  return {
    order: { reference: orderRef, ...(scenario && { scenario }), company: 'Simulated LLC', amount },
    documents: documents.map(({ name }, position) => ({
      file: `documents/${name}`,
      entityId: orderRef,
      sourceEntityId: `document-${position}`,
      docType: 'CHARTER',
    })),
    ...(signer === 'KMS' && { signing: 'kms' }),
    offers: choose === 'rule' ? { choose, rule: RULE } : { choose },
  };
}

/** The bytes of a document of the package, always the same. `file` is its path in the package. */
export function documentBytes({ orderRef, documents }: OrderPlan, file: string): Buffer {
  const size = documents.find(({ name }) => `documents/${name}` === file)?.size ?? 1;
  const block = createHash('sha256').update(`${orderRef}/${file}`).digest();
  return Buffer.alloc(size, block);
}

/** The same offer with another of its credit options, if it has more than one. */
function otherCode({ offerId, code }: Choice, offers: SimulatedOrder['offers']): Choice {
  const options = offers.find((offer) => offer.offerId === offerId)?.creditOptions ?? [];
  return { offerId, code: options.find((option) => option.code !== code)?.code ?? code };
}

/** Whether the order has none of the chosen offers any more, because the service has withdrawn them. */
function isOutdated({ chosen }: PartnerActs, order: SimulatedOrder | undefined): boolean {
  const isThere = (offerId: string) =>
    order?.offers.some((offer) => offer.offerId === offerId && offer.status !== 'EXPIRED');
  return chosen.length > 0 && !chosen.some(({ offerId }) => isThere(offerId));
}

/** The partner's credit desk uploads the decisions that the order's plan has, once the service has AVAILABLE offers. */
async function decide(world: SimulatedWorld, plan: OrderPlan, order: SimulatedOrder | undefined): Promise<void> {
  const { orderRef, choose, decision, furtherDecisions, otherCodesAfter } = plan;
  const { schedule, witness, uploads } = world;
  const acts = uploads.acts(orderRef);
  const available = (order?.offers ?? []).filter(({ status }) => status === 'AVAILABLE');
  if (choose === 'rule' || available.length === 0 || (acts.decided && !isOutdated(acts, order))) return;
  acts.decided = true;
  const put = async (choices: Choice[]) => {
    acts.chosenLast = choices;
    witness.decided(orderRef, choices);
    acts.decisions.push(await uploads.put(orderRef, 'decision.json', JSON.stringify({ choices })));
  };
  const take = (choices: Choice[]) => {
    acts.chosen.push(...choices);
    return put(choices);
  };
  const dice = new Dice(orderRef, 'decision');
  const wanted = dice.shuffled(available).slice(0, decision.choices);
  const chosen = wanted.map(({ offerId, creditOptions }) => ({ offerId, code: dice.pick(creditOptions).code }));
  const decideFirst = async () => {
    await take(chosen);
    const further = new Dice(orderRef, 'further decisions');
    let after = 0;
    for (const delay of furtherDecisions) {
      after += delay;
      // Each time for one offer and one of its codes.
      const { offerId, creditOptions } = further.pick(available);
      const choice = { offerId, code: further.pick(creditOptions).code };
      schedule.later(after, () => take([choice]));
    }
    if (otherCodesAfter === undefined) return;
    schedule.later(otherCodesAfter, () => take(chosen.map((choice) => otherCode(choice, wanted))));
  };
  if (!decision.nonsenseFirst) return decideFirst();
  await put([{ offerId: 'no-such-offer', code: 'NONE' }]);
  schedule.later(60, decideFirst);
}
