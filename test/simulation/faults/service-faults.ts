import type { RecordedCall, SimulatedOrder } from '@business-loan-orders/order-simulator';
import type { ServiceCall, ServiceFault } from '../plan/order-plan.ts';
import { References, restoreLastRead } from '../world/references.ts';
import type { DueKill, DuePause, SimulatedWorld } from '../world/simulated-world.ts';
import { breakOff, hasGivenUp, isAfterwards, isLost, nameOf, type Reply, type Request } from './broken-answers.ts';
import { OddAnswers } from './odd-answers.ts';
import { ServiceChanges } from './service-changes.ts';
import { closeByBank, withMembers, withOtherPoll } from './service-events.ts';
import { answerBroken, Strikes } from './strikes.ts';

/** The longest pause of a call in virtual seconds. It is below the timeout of calls (world.ts). */
const SLOWEST = 2.9;

const routes: Record<string, ServiceCall> = {
  'POST /v1/orders': 'create',
  'GET /v1/orders/{orderId}': 'read',
  'POST /v1/orders/{orderId}/documents': 'upload document',
  'POST /v1/orders/{orderId}/accept': 'accept',
  'GET /v1/orders/{orderId}/documents/{fileId}/download': 'download',
  'POST /v1/orders/{orderId}/documents/sign': 'upload signature',
  'POST /v1/orders/{orderId}/confirm': 'confirm',
};

/** Applies the planned faults of the order service to each order's calls. */
export class ServiceFaults {
  readonly #world: SimulatedWorld;
  readonly #strikes: Strikes;
  readonly #oddAnswers: OddAnswers;
  readonly #changes: ServiceChanges;
  /** The number of times that each order made each call. */
  readonly #made = new Map<string, number>();
  /** Calls that fail after the service has done its work. */
  readonly #afterwards = new Map<RecordedCall, ServiceFault>();
  /** Calls whose function is killed after the service has done its work. */
  readonly #kills = new Map<RecordedCall, DueKill>();
  /** Calls whose answer is late. */
  readonly #pauses = new Map<RecordedCall, DuePause>();
  /** The order's last read before each call. It is restored if the answer is lost, because then nobody knows when to read again. */
  readonly #readsBefore = new Map<RecordedCall, SimulatedOrder['lastRead']>();
  /** The last body read of each order, for stale reads. */
  readonly #lastReads = new Map<string, string>();

  constructor(world: SimulatedWorld) {
    this.#world = world;
    this.#strikes = new Strikes(world);
    this.#oddAnswers = new OddAnswers(world);
    this.#changes = new ServiceChanges(world);
    world.simulator.hooks.before = (call, request, reply) => this.#before(call, request, reply);
    world.simulator.hooks.after = (call, request, reply, payload) => this.#after(call, request, reply, payload);
  }

  async #before(call: RecordedCall, request: Request, reply: Reply): Promise<void> {
    const orderRef = this.#orderRef(call);
    if (orderRef === undefined) return;
    const { simulator, plans, schedule, injected } = this.#world;
    const plan = plans.get(orderRef);
    const isClosed = plan && closeByBank(simulator.order(call.orderId ?? ''), plan, schedule.now());
    if (isClosed) injected.add('service: closed by the bank');
    const { kill, pause } = this.#world.interruptions.at(orderRef);
    if (kill?.after) this.#kills.set(call, kill);
    else if (kill) {
      kill.strike();
      return breakOff(request, reply);
    }
    if (pause?.after) this.#pauses.set(call, pause);
    else await pause?.wait(false, SLOWEST);
    // The function has timed out in real time, so the call counts as never arrived.
    if (hasGivenUp(request)) return breakOff(request, reply);
    const order = simulator.order(call.orderId ?? '');
    if (order && call.route?.endsWith('/confirm')) this.#changes.beforeConfirm(orderRef, order, call);
    this.#readsBefore.set(call, order?.lastRead);
    const fault = this.#faultOf(orderRef, routes[`${call.method} ${call.route}`]);
    if (!fault) return;
    if (isAfterwards(fault)) {
      this.#afterwards.set(call, fault);
      return;
    }
    this.#count(fault);
    await this.#strikes.before(fault, request, reply);
  }

  async #after(call: RecordedCall, request: Request, reply: Reply, payload: unknown): Promise<unknown> {
    const orderRef = this.#orderRef(call);
    if (call.route === '/oauth2/token') return this.#oddAnswers.answerToTokenRequest(reply, String(payload));
    if (orderRef === undefined) return undefined;
    const order = this.#world.simulator.order(call.orderId ?? '');
    const made = routes[`${call.method} ${call.route}`];
    if (made === 'create' && order) this.#created(orderRef, order);
    if (order && reply.statusCode === 200) await this.#changes.after(made, orderRef, order, call);
    const isRead = made === 'read' && reply.statusCode === 200;
    const ownRead = order?.lastRead;
    if (isRead && order) this.#world.partner.onRead(orderRef, order);
    await this.#pauses.get(call)?.wait(false, SLOWEST);
    const kill = this.#kills.get(call);
    if (kill) {
      kill.strike();
      request.raw.socket.destroy();
      return undefined;
    }
    const fault = this.#afterwards.get(call);
    this.#afterwards.delete(call);
    // A function that has timed out in real time does not see the answer.
    const isUnseen = (fault && isLost(fault)) || hasGivenUp(request);
    if (isRead && order && isUnseen && order.lastRead === ownRead) restoreLastRead(order, this.#readsBefore.get(call));
    const before = this.#readsBefore.get(call);
    this.#readsBefore.delete(call);
    this.#pauses.delete(call);
    const usual = { orderRef, reply, body: String(payload) };
    const odd = order && !isUnseen && !fault ? this.#oddAnswers.answerTo(made, order, usual, before) : undefined;
    if (odd !== undefined) return odd;
    const body = isRead && order && !isUnseen ? this.#withOtherPoll(orderRef, order, payload) : payload;
    const sent = fault ? await this.#answer(fault, orderRef, request, reply, body) : body;
    if (isRead && typeof body === 'string') this.#lastReads.set(orderRef, body);
    return sent;
  }

  /** The body to send instead of the answer, after the service has done its work. */
  async #answer(
    fault: ServiceFault,
    orderRef: string,
    request: Request,
    reply: Reply,
    payload: unknown,
  ): Promise<unknown> {
    const { kind } = fault;
    if (kind === 'stale read') {
      const earlier = this.#lastReads.get(orderRef);
      if (earlier === undefined) return payload;
      this.#count(fault);
      // The order is stale, but pollAfterSeconds belongs to this read.
      const { pollAfterSeconds } = JSON.parse(String(payload)) as { pollAfterSeconds?: unknown };
      return withMembers(earlier, () => ({ pollAfterSeconds }));
    }
    this.#count(fault);
    return answerBroken(fault, request, reply, payload);
  }

  #withOtherPoll(orderRef: string, order: SimulatedOrder, payload: unknown): unknown {
    const plan = this.#world.plans.get(orderRef);
    const body = plan && withOtherPoll(order, plan, this.#made.get(`${orderRef} read`) ?? 0, String(payload));
    if (body !== undefined) this.#world.injected.add('service: another pollAfterSeconds');
    return body ?? payload;
  }

  #created(orderRef: string, order: SimulatedOrder): void {
    this.#world.references.created(orderRef, order.orderId);
    if (this.#world.plans.get(orderRef)?.takesRepeatedConfirms) order.takesRepeatedConfirms = true;
  }

  #faultOf(orderRef: string, call: ServiceCall | undefined): ServiceFault | undefined {
    if (call === undefined) return undefined;
    const key = `${orderRef} ${call}`;
    const times = (this.#made.get(key) ?? 0) + 1;
    this.#made.set(key, times);
    return this.#world.plans
      .get(orderRef)
      ?.serviceFaults.find(
        (fault) => fault.call === call && times >= fault.occurrence && times < fault.occurrence + fault.times,
      );
  }

  /** The orderRef, which the packages of the simulation carry in their order data. */
  #orderRef(call: RecordedCall): string | undefined {
    const body = call.requestBody?.kind === 'json' && call.orderId === undefined ? call.requestBody.value : undefined;
    return References.of(body ?? this.#world.simulator.order(call.orderId ?? '')?.questionnaire);
  }

  #count(fault: ServiceFault): void {
    this.#world.injected.add(nameOf(fault));
  }
}
