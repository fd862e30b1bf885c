import { once } from 'node:events';
import type { RecordedCall, SimulatedOrder, Simulator } from '../simulator/index.ts';
import { breakOff, halved, isAfterwards, isLost, nameOf, type Reply, type Request } from './broken-answers.ts';
import type { DueKill, Kills } from './kills.ts';
import type { OrderPlan, ServiceCall, ServiceFault } from './plan.ts';
import { References, restoreLastRead } from './references.ts';
import type { Schedule } from './schedule.ts';
import type { Tally } from './tally.ts';

export interface ServiceFaultsOptions {
  simulator: Simulator;
  references: References;
  schedule: Schedule;
  plans: ReadonlyMap<string, OrderPlan>;
  kills: Kills;
  injected: Tally;
  /** Brings the simulator's credentials into the secret, as the partner does after a rotation. */
  putCredentials(): Promise<void>;
  /** Told of every read before it is answered. */
  onRead(orderRef: string, order: SimulatedOrder): void;
}

/** How long the service can't be reached, and how long a rotated secret is not yet known to us. Virtual seconds. */
const OUTAGE = 15;
const ROTATION = 2;

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
    const kill = this.#options.kills.due(orderRef);
    if (kill?.after) this.#kills.set(call, kill);
    else if (kill) {
      kill.strike();
      return breakOff(request, reply);
    }
    const fault = this.#faultOf(orderRef, routes[`${call.method} ${call.route}`]);
    if (!fault) return;
    if (isAfterwards(fault)) {
      this.#afterwards.set(call, fault);
      this.#readsBefore.set(call, this.#options.simulator.order(call.orderId ?? '')?.lastRead);
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
    if (made === 'create' && order) this.#options.references.created(orderRef, order.orderId);
    const isRead = made === 'read' && reply.statusCode === 200;
    if (isRead && order) this.#options.onRead(orderRef, order);
    const kill = this.#kills.get(call);
    if (kill) {
      kill.strike();
      request.raw.socket.destroy();
      return undefined;
    }
    const fault = this.#afterwards.get(call);
    this.#afterwards.delete(call);
    if (isRead && order && fault && isLost(fault)) restoreLastRead(order, this.#readsBefore.get(call));
    this.#readsBefore.delete(call);
    const sent = fault && (await this.#answer(fault, orderRef, request, reply, payload));
    if (isRead && typeof payload === 'string') this.#lastReads.set(orderRef, payload);
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
      if (earlier !== undefined) this.#count(fault);
      return earlier;
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
