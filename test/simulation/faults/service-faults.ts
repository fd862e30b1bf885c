import type { RecordedCall, SimulatedOrder } from '@business-loan-orders/order-simulator';
import { arrivalProblem, uploadProblem } from '../checks/arrival-checks.ts';
import type { Partner } from '../people/partner.ts';
import { isOfReads, type OrderPlan, type ServiceCall, type ServiceFault } from '../plan/order-plan.ts';
import { referenceIn, restoreLastRead } from '../world/references.ts';
import type { SimulatedWorld } from '../world/simulated-world.ts';
import { Tally } from '../world/tally.ts';
import {
  answerBroken,
  breakOff,
  hasGivenUp,
  isAfterwards,
  isLost,
  nameOf,
  oddRead,
  type Reply,
  type Request,
  strike,
} from './broken-answers.ts';
import type { Due, Interruptions } from './interruptions.ts';
import { type OddAnswer, oddAnswerOf } from './odd-answers.ts';
import { closeByBank, ServiceChanges, withMembers, withOtherPoll } from './service-changes.ts';

/** The longest pause of a call in virtual seconds. It is below the timeout of calls (world.ts). */
const SLOWEST = 2.9;

/** Seconds. An operator ends such a wait, after the service was asked. */
const YEARS = 1e8;

const routes: Record<string, ServiceCall> = {
  'POST /v1/orders': 'create',
  'GET /v1/orders/{orderId}': 'read',
  'POST /v1/orders/{orderId}/documents': 'upload document',
  'POST /v1/orders/{orderId}/accept': 'accept',
  'GET /v1/orders/{orderId}/documents/{fileId}/download': 'download',
  'POST /v1/orders/{orderId}/documents/sign': 'upload signature',
  'POST /v1/orders/{orderId}/confirm': 'confirm',
};
export const callOf = ({ method, route }: RecordedCall) => routes[`${method} ${route}`];

/** The last read, or the last one with another status than the order has. */
const earlierRead = (
  reads: Iterable<[string, string]> = [],
  order: SimulatedOrder | undefined,
  { after }: ServiceFault,
) => [...reads].findLast(([status]) => after || status !== order?.status)?.[1];

interface Underway {
  orderRef: string;
  due: Due;
  /** The order's last read before the call. It is restored if the answer is lost, because then nobody knows when to read again. */
  readBefore: SimulatedOrder['lastRead'];
  /** It strikes after the service has done its work. */
  fault: ServiceFault | undefined;
}

export class ServiceFaults {
  readonly #world: SimulatedWorld;
  readonly #partner: Partner;
  readonly #interruptions: Interruptions;
  readonly #changes: ServiceChanges;
  readonly #made = new Tally();
  readonly #underway = new WeakMap<RecordedCall, Underway>();
  /** The last body read of each order in each status, the last one at the end: for stale reads. */
  readonly #reads = new Map<string, Map<string, string>>();
  /** Odd answers that last for a while, by their orders; '' for all orders. */
  readonly #lasting = new Map<string, { fault: ServiceFault; until: number }>();
  /** The time before which an order must not be read again, in virtual milliseconds. */
  readonly #backOff = new Map<string, number>();
  readonly #ofTokens: OddAnswer[] = [];

  constructor(world: SimulatedWorld, partner: Partner, interruptions: Interruptions) {
    this.#world = world;
    this.#partner = partner;
    this.#interruptions = interruptions;
    this.#changes = new ServiceChanges(world);
    world.simulator.hooks.before = (call, request, reply) => this.#before(call, request, reply);
    world.simulator.hooks.after = (call, request, reply, payload) => this.#after(call, request, reply, payload);
  }

  async #before(call: RecordedCall, request: Request, reply: Reply): Promise<void> {
    const orderRef = this.#orderRef(call);
    if (orderRef === undefined) return this.#answerToken(call, reply);
    const { simulator, plans, schedule, injected } = this.#world;
    const plan = plans.get(orderRef);
    if (plan?.hoursToEnd && callOf(call) === 'read' && schedule.now() < (this.#backOff.get(orderRef) ?? 0))
      this.#world.witness.note(orderRef, 'it was read before the end of a Retry-After');
    const isClosed = plan && closeByBank(simulator.order(call.orderId ?? ''), plan, schedule.now());
    if (isClosed) injected.add('service: closed by the bank');
    const due = this.#interruptions.at(orderRef);
    if (due.kill && !due.kill.after) {
      due.kill.strike();
      return breakOff(request, reply);
    }
    if (!due.pause?.after) await due.pause?.wait(false, SLOWEST);
    // The function has timed out in real time, so the call counts as never arrived.
    if (hasGivenUp(request)) return breakOff(request, reply);
    const order = simulator.order(call.orderId ?? '');
    if (order && callOf(call) === 'confirm') this.#changes.beforeConfirm(orderRef, order, call);
    const planned = this.#faultOf(orderRef, callOf(call));
    const fault = planned && isAfterwards(planned) ? planned : undefined;
    this.#underway.set(call, { orderRef, due, readBefore: order?.lastRead, fault });
    if (!planned || fault) {
      if (plan && order) this.#arrive(plan, order, call);
      return;
    }
    injected.add(nameOf(planned));
    const odd = oddAnswerOf(planned.kind);
    if (!odd?.calls.includes('token')) {
      await strike(this.#world, planned, request, reply);
      const [seconds = 0] = /^\d{1,6}$/.exec(String(reply.getHeader('retry-after'))) ?? [];
      if (odd) this.#backOff.set(orderRef, schedule.now() + Number(seconds) * 1_000);
      return;
    }
    this.#ofTokens.push(odd);
    simulator.revokeAllTokens();
  }

  async #answerToken({ path }: RecordedCall, reply: Reply): Promise<void> {
    const odd = path.endsWith('/token') ? this.#ofTokens.shift() : undefined;
    if (odd) await reply.send(odd.give(reply, undefined, this.#world.schedule.now()));
  }

  async #after(call: RecordedCall, request: Request, reply: Reply, payload: unknown): Promise<unknown> {
    const underway = this.#underway.get(call);
    if (!underway) return undefined;
    const { orderRef, due, readBefore, fault } = underway;
    const order = this.#world.simulator.order(call.orderId ?? '');
    const made = callOf(call);
    if (order && reply.statusCode < 300) await this.#changes.after(made, orderRef, order, call.path);
    const isRead = made === 'read' && reply.statusCode === 200 && String(payload).startsWith('{');
    const ownRead = order?.lastRead;
    if (isRead && order) this.#partner.onRead(orderRef, order);
    // Fastify goes on to the handler if the answer to a closed connection is awaited.
    if (due.pause?.after && !hasGivenUp(request)) await due.pause.wait(false, SLOWEST);
    if (due.kill) {
      due.kill.strike();
      request.raw.socket.destroy();
      return undefined;
    }
    // A function that has timed out in real time does not see the answer.
    const isUnseen = (fault && isLost(fault)) || hasGivenUp(request);
    if (isRead && order && isUnseen && order.lastRead === ownRead) restoreLastRead(order, readBefore);
    const body = isRead && order && !isUnseen ? this.#withOtherPoll(orderRef, order, payload) : payload;
    const sent = fault
      ? await this.#answer(fault, earlierRead(this.#reads.get(orderRef), order, fault), request, reply, body)
      : body;
    if (isRead && order && typeof body === 'string') {
      const others = [...(this.#reads.get(orderRef) ?? [])].filter(([status]) => status !== order.status);
      this.#reads.set(orderRef, new Map([...others, [order.status, body]]));
    }
    return sent;
  }

  #arrive(plan: OrderPlan, order: SimulatedOrder, call: RecordedCall): void {
    const made = callOf(call);
    const { orderRef } = plan;
    const { witness } = this.#world;
    const text = call.requestBody?.kind === 'json' ? call.requestBody.text : '';
    const isJudged = made === 'accept' || made === 'confirm';
    const problem = isJudged
      ? arrivalProblem(made, plan, order, text, witness.operations(orderRef))
      : made === 'upload document' && uploadProblem(plan, order);
    if (problem) witness.note(orderRef, problem);
  }

  /** The body to send instead of the answer, after the service has done its work. `earlier` is the body of the order's last read. */
  async #answer(fault: ServiceFault, earlier: string | undefined, request: Request, reply: Reply, payload: unknown) {
    const { kind } = fault;
    if (isOfReads(kind) && (reply.statusCode !== 200 || (kind === 'stale read' && earlier === undefined)))
      return payload;
    const { injected, simulator } = this.#world;
    injected.add(nameOf(fault));
    const odd = oddAnswerOf(kind);
    if (odd) return odd.give(reply, payload, this.#world.schedule.now());
    if (!isOfReads(kind)) return answerBroken(fault, request, reply, payload);
    if (earlier === undefined || kind !== 'stale read')
      return oddRead(kind, String(payload), simulator.settings.names.orderId);
    // The order is stale, but pollAfterSeconds belongs to this read.
    const { pollAfterSeconds } = JSON.parse(String(payload)) as { pollAfterSeconds?: unknown };
    return withMembers(earlier, () => ({ pollAfterSeconds }));
  }

  #withOtherPoll(orderRef: string, order: SimulatedOrder, payload: unknown): unknown {
    const plan = this.#world.plans.get(orderRef);
    const body = plan && withOtherPoll(order, plan, this.#made.of(`${orderRef} read`), String(payload));
    if (body !== undefined) this.#world.injected.add('service: another pollAfterSeconds');
    if ((order.lastRead?.pollAfterSeconds ?? 0) > YEARS)
      this.#world.schedule.later(60, () => this.#interruptions.onPause?.(orderRef, ['end wait']));
    return body ?? payload;
  }

  #faultOf(orderRef: string, call: ServiceCall | undefined): ServiceFault | undefined {
    const made = this.#made.add(`${orderRef} ${call}`);
    const faults = this.#world.plans.get(orderRef)?.serviceFaults ?? [];
    const now = this.#world.schedule.now();
    const lasting = [orderRef, ''].map((of) => this.#lasting.get(of)).find((one) => one && one.until > now);
    if (lasting) return lasting.fault;
    const fault = faults.find(
      (one) => one.call === call && made >= one.occurrence && made < one.occurrence + one.times,
    );
    const { seconds } = (fault && oddAnswerOf(fault.kind)) ?? {};
    if (fault && seconds) this.#lasting.set(fault.after ? '' : orderRef, { fault, until: now + seconds * 1_000 });
    return fault;
  }

  /** The orderRef, which the packages of the simulation carry in their order data. */
  #orderRef(call: RecordedCall): string | undefined {
    const body = call.requestBody?.kind === 'json' && call.orderId === undefined ? call.requestBody.value : undefined;
    return referenceIn(body ?? this.#world.simulator.order(call.orderId ?? '')?.questionnaire);
  }
}
