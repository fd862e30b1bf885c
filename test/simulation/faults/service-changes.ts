import type { Offer, RecordedCall, SimulatedOrder } from '@business-loan-orders/order-simulator';
import { parseLossless, printLossless } from '../../../core/json/lossless-json.ts';
import type { GoesBack, OrderPlan, ServiceCall } from '../plan/order-plan.ts';
import type { SimulatedWorld } from '../world/simulated-world.ts';
import { Tally } from '../world/tally.ts';

/** Changes orders at the service between two of our calls, although we did nothing. */
export class ServiceChanges {
  readonly #world: SimulatedWorld;
  /** How many times an order made a call that a change may follow. */
  readonly #made = new Tally();

  constructor(world: SimulatedWorld) {
    this.#world = world;
  }

  async after(call: ServiceCall | undefined, orderRef: string, order: SimulatedOrder, path: string): Promise<void> {
    const plan = this.#world.plans.get(orderRef);
    if (plan?.showsNoConfirms && call === 'confirm') {
      const { confirmedStatus } = this.#world.simulator.settings;
      for (const offer of order.offers) if (offer.status === confirmedStatus) offer.status = 'AVAILABLE';
    }
    if (!plan || (call !== 'download' && call !== 'read')) return;
    const made = this.#made.add(`${orderRef} ${call === 'read' ? order.status : call}`);
    if (call === 'download' && made === plan.replacedDocumentAfter)
      await this.#replace(order, decodeURIComponent(path.split('/').at(-2) ?? ''));
    if (call === 'read' && made === 1 && plan.goesBack?.from === order.status) this.#goBack(order, plan.goesBack);
    const isOffered = call === 'read' && order.status === 'OFFERS_AVAILABLE';
    const first = order.offers.find(({ status }) => status === 'AVAILABLE');
    if (isOffered && made === 1 && plan.withdrawnOffer?.at === 'read')
      this.#withdraw(order, plan.withdrawnOffer, first);
  }

  #goBack({ orderId }: SimulatedOrder, { from, outcomes, after }: GoesBack): void {
    const { simulator, schedule, injected } = this.#world;
    const goBack = () => {
      if (simulator.goBack(orderId, from, outcomes)) injected.add(`service: went back from ${from}`);
    };
    // A timer of 0 s would fire only when our functions have answered the status.
    if (after === 0) goBack();
    else schedule.later(after, goBack);
  }

  beforeConfirm(orderRef: string, order: SimulatedOrder, { requestBody }: RecordedCall): void {
    const planned = this.#world.plans.get(orderRef)?.withdrawnOffer;
    if (planned?.at !== 'confirm' || requestBody?.kind !== 'json' || this.#made.add(`${orderRef} confirm`) > 1) return;
    const { text } = requestBody;
    const offer = order.offers.find(({ offerId, status }) => status === 'AVAILABLE' && text.includes(offerId));
    this.#withdraw(order, planned, offer);
  }

  /** Withdraws the offer, if it is there and is not the last that can be confirmed. */
  #withdraw(order: SimulatedOrder, { isRemoved }: { isRemoved: boolean }, offer: Offer | undefined): void {
    const others = order.offers.filter((other) => other !== offer && other.status === 'AVAILABLE');
    if (!offer || others.length === 0) return;
    if (isRemoved) order.offers = order.offers.filter((other) => other !== offer);
    else offer.status = 'EXPIRED';
    this.#world.injected.add(`service: offer ${isRemoved ? 'removed' : 'expired'}`);
  }

  async #replace(order: SimulatedOrder, fileId: string): Promise<void> {
    const { simulator, injected } = this.#world;
    const document = order.generatedDocuments.find((generated) => generated.fileId === fileId);
    if (!document) return;
    document.content = Buffer.concat([await simulator.content(order.orderId, fileId), Buffer.from('\n% replaced')]);
    injected.add('service: document replaced');
  }
}

/** Closes the order if the plan says so and the offers are old enough. `now` is in virtual milliseconds. */
export function closeByBank(order: SimulatedOrder | undefined, { closedAfter }: OrderPlan, now: number): boolean {
  const offered = order?.progress.history.find(({ status }) => status === 'OFFERS_AVAILABLE');
  if (closedAfter === undefined || !order || !offered || order.status === 'CLOSED') return false;
  if (now < offered.at + closedAfter * 1000) return false;
  const { due: _due, ...progress } = order.progress;
  const due = Math.max(offered.at + closedAfter * 1000, order.progress.history.at(-1)?.at ?? 0);
  const closed = { status: 'CLOSED', at: due } as const;
  order.progress = { ...progress, status: 'CLOSED', history: [...progress.history, closed] };
  return true;
}

/** The answer to this read with its planned `pollAfterSeconds`; undefined if none is planned. */
export function withOtherPoll(order: SimulatedOrder, { polls }: OrderPlan, read: number, body: string) {
  const planned = polls.find(({ occurrence }) => occurrence === read);
  if (!planned || !order.lastRead) return undefined;
  order.lastRead = { ...order.lastRead, pollAfterSeconds: planned.seconds };
  return withMembers(body, ({ pollAfterSeconds }) => {
    const usual = typeof pollAfterSeconds === 'string' ? String(planned.seconds) : planned.seconds;
    return { pollAfterSeconds: 'written' in planned ? planned.written : usual };
  });
}

/** The body with some members changed. Numbers keep all their digits. */
export function withMembers(body: string, change: (members: Record<string, unknown>) => object): string {
  const members = parseLossless(body) as Record<string, unknown>;
  return printLossless({ ...members, ...change(members) });
}
