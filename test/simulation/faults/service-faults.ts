import { once } from 'node:events';
import type { RecordedCall, SimulatedOrder, Simulator } from '../../../simulator/index.ts';
import type { OrderPlan, ServiceCall, ServiceFault } from '../plan/order-plan.ts';
import { References, restoreLastRead } from '../world/references.ts';
import type { Schedule } from '../world/schedule.ts';
import type { Tally } from '../world/tally.ts';
import {
  breakOff,
  halved,
  hasGivenUp,
  isAfterwards,
  isLost,
  nameOf,
  type Reply,
  type Request,
} from './broken-answers.ts';
import type { DueKill, DuePause, Interruptions } from './interruptions.ts';
import { closeByBank, withOtherPoll } from './service-events.ts';

export interface ServiceFaultsOptions {
  simulator: Simulator;
  references: References;
  schedule: Schedule;
  plans: ReadonlyMap<string, OrderPlan>;
  interruptions: Interruptions;
  injected: Tally;
  /** Brings the simulator's credentials into the secret, as the partner does after a rotation. */
  putCredentials(): Promise<void>;
  /** Told of every read before it is answered. */
  onRead(orderRef: string, order: SimulatedOrder): void;
}

/** How long the service can't be reached, and how long a rotated secret is not yet known to us. Virtual seconds. */
const OUTAGE = 15;
const ROTATION = 2;

/** Virtual seconds that a call may take: one less and it is answered before the function gives up (world.ts). */
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

/** The faults of the order service, call by call, as each order's plan has them. */
export class ServiceFaults {
  readonly #options: ServiceFaultsOptions;
  /** How often each call of each order was made. */
  readonly #made = new Map<string, number>();
  /** Calls that fail once the service has done its part. */
  readonly #afterwards = new Map<RecordedCall, ServiceFault>();
  /** Calls that kill the function that made them, once the service has done its part. */
  readonly #kills = new Map<RecordedCall, DueKill>();
  /** Calls whose answer is late. */
  readonly #pauses = new Map<RecordedCall, DuePause>();
  /** What the order's last read was before these calls: an answer that never comes tells nobody when to read again. */
  readonly #readsBefore = new Map<RecordedCall, SimulatedOrder['lastRead']>();
  /** The last body that was read of each order, for reads that are stale. */
  readonly #lastReads = new Map<string, string>();

  constructor(options: ServiceFaultsOptions) {
    this.#options = options;
    options.simulator.hooks.before = (call, request, reply) => this.#before(call, request, reply);
    options.simulator.hooks.after = (call, request, reply, payload) => this.#after(call, request, reply, payload);
  }

  async #before(call: RecordedCall, request: Request, reply: Reply): Promise<void> {
    const orderRef = this.#orderRef(call);
    if (orderRef === undefined) return;
    const { simulator, plans, schedule, injected } = this.#options;
    const plan = plans.get(orderRef);
    const isClosed = plan && closeByBank(simulator.order(call.orderId ?? ''), plan, schedule.now());
    if (isClosed) injected.add('service: closed by the bank');
    const { kill, pause } = this.#options.interruptions.at(orderRef);
    if (kill?.after) this.#kills.set(call, kill);
    else if (kill) {
      kill.strike();
      return breakOff(request, reply);
    }
    if (pause?.after) this.#pauses.set(call, pause);
    else await pause?.wait(false, SLOWEST);
    // Its function has given up meanwhile, by the machine's clock: such a call never arrived.
    if (hasGivenUp(request)) return breakOff(request, reply);
    this.#readsBefore.set(call, this.#options.simulator.order(call.orderId ?? '')?.lastRead);
    const fault = this.#faultOf(orderRef, routes[`${call.method} ${call.route}`]);
    if (!fault) return;
    if (isAfterwards(fault)) {
      this.#afterwards.set(call, fault);
      return;
    }
    this.#count(fault);
    await this.#strike(fault, request, reply);
  }

  async #strike({ kind, occurrence }: ServiceFault, request: Request, reply: Reply): Promise<void> {
    const { simulator } = this.#options;
    if (kind === 'connection refused') {
      // This call got through to us; it is broken off, and those that follow are refused.
      this.#outage();
      await breakOff(request, reply);
    } else if (kind === 'revoked token') simulator.revokeAllTokens();
    else if (kind === 'rotated secret') this.#rotate();
    else if (kind === 'reset') await breakOff(request, reply);
    else if (kind === 'timeout') {
      await once(request.raw.socket, 'close');
      await reply.send();
    } else if (kind === 'expired token') await reply.code(401).send({ error: { code: 'token_expired' } });
    else {
      const [status] = kind.split(' ');
      if (kind === '429 with Retry-After') reply.header('retry-after', occurrence === 1 ? '45' : '1');
      await reply.code(Number(status)).send({ error: { code: `simulated_${status}` } });
    }
  }

  async #after(call: RecordedCall, request: Request, reply: Reply, payload: unknown): Promise<unknown> {
    const orderRef = this.#orderRef(call);
    if (orderRef === undefined) return undefined;
    const order = this.#options.simulator.order(call.orderId ?? '');
    const made = routes[`${call.method} ${call.route}`];
    if (made === 'create' && order) this.#created(orderRef, order);
    const isRead = made === 'read' && reply.statusCode === 200;
    const ownRead = order?.lastRead;
    if (isRead && order) this.#options.onRead(orderRef, order);
    await this.#pauses.get(call)?.wait(false, SLOWEST);
    const kill = this.#kills.get(call);
    if (kill) {
      kill.strike();
      request.raw.socket.destroy();
      return undefined;
    }
    const fault = this.#afterwards.get(call);
    this.#afterwards.delete(call);
    // A function that has given up by the machine's clock saw nothing.
    const isUnseen = (fault && isLost(fault)) || hasGivenUp(request);
    if (isRead && order && isUnseen && order.lastRead === ownRead) restoreLastRead(order, this.#readsBefore.get(call));
    this.#readsBefore.delete(call);
    this.#pauses.delete(call);
    const body = isRead && order && !isUnseen ? this.#withOtherPoll(orderRef, order, payload) : payload;
    const sent = fault ? await this.#answer(fault, orderRef, request, reply, body) : body;
    if (isRead && typeof body === 'string') this.#lastReads.set(orderRef, body);
    return sent;
  }

  /** What is sent in place of the answer, once the service has done its part. */
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
      // The order is as it was; when to read again is said of this read.
      const { pollAfterSeconds } = JSON.parse(String(payload)) as { pollAfterSeconds?: unknown };
      return JSON.stringify({ ...JSON.parse(earlier), pollAfterSeconds });
    }
    this.#count(fault);
    if (kind === 'reset') request.raw.socket.destroy();
    else if (kind === 'timeout') await once(request.raw.socket, 'close');
    else if (kind === 'body cut in half' || kind === 'slow body') return halved(fault, request, reply, payload);
    else {
      const [status] = kind.split(' ');
      if (kind === '429 with Retry-After') reply.header('retry-after', '45');
      reply.code(Number(status)).header('content-type', 'application/json');
      return JSON.stringify({ error: { code: `simulated_${status}` } });
    }
    return undefined;
  }

  #withOtherPoll(orderRef: string, order: SimulatedOrder, payload: unknown): unknown {
    const plan = this.#options.plans.get(orderRef);
    const body = plan && withOtherPoll(order, plan, this.#made.get(`${orderRef} read`) ?? 0, String(payload));
    if (body !== undefined) this.#options.injected.add('service: another pollAfterSeconds');
    return body ?? payload;
  }

  #created(orderRef: string, order: SimulatedOrder): void {
    this.#options.references.created(orderRef, order.orderId);
    if (this.#options.plans.get(orderRef)?.takesRepeatedConfirms) order.takesRepeatedConfirms = true;
  }

  #outage(): void {
    const { simulator, schedule } = this.#options;
    simulator.stopListening();
    schedule.later(OUTAGE, () => simulator.listenAgain());
  }

  /** The secret and every token go at once; ours follows a while later, as a partner's hand would do it. */
  #rotate(): void {
    const { simulator, schedule, putCredentials } = this.#options;
    simulator.rotateClientSecret();
    simulator.revokeAllTokens();
    schedule.later(ROTATION, putCredentials);
  }

  #faultOf(orderRef: string, call: ServiceCall | undefined): ServiceFault | undefined {
    if (call === undefined) return undefined;
    const key = `${orderRef} ${call}`;
    const times = (this.#made.get(key) ?? 0) + 1;
    this.#made.set(key, times);
    return this.#options.plans
      .get(orderRef)
      ?.serviceFaults.find(
        (fault) => fault.call === call && times >= fault.occurrence && times < fault.occurrence + fault.times,
      );
  }

  /** The partner's own reference, which the packages of the simulation carry in their order data. */
  #orderRef(call: RecordedCall): string | undefined {
    const body = call.requestBody?.kind === 'json' && call.orderId === undefined ? call.requestBody.value : undefined;
    return References.of(body ?? this.#options.simulator.order(call.orderId ?? '')?.questionnaire);
  }

  #count(fault: ServiceFault): void {
    this.#options.injected.add(nameOf(fault));
  }
}
