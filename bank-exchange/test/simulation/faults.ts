import type {
  AwsRequest,
  Clock,
  DeliveryWrapper,
  InvokeWrapper,
  RequestFault,
  RequestWrapper,
} from '@business-loan-orders/embedded-aws';
import type { Simulator } from '@business-loan-orders/order-simulator';
import { breakOff, halved, type Reply, type Request } from '../../../test/simulation/faults/broken-answers.ts';
import { meetsFaults } from '../../../test/simulation/people/peoples-key.ts';
import { Dice } from '../../../test/simulation/plan/dice.ts';
import type { Tally } from '../../../test/simulation/world/tally.ts';

export interface ExchangeFaultsOptions {
  seed: string;
  clock: Clock;
  injected: Tally;
  /** The time after which nothing fails, in virtual milliseconds since the epoch. */
  calmFrom: number;
}

/** The share of calls, requests, invocations and deliveries that fail before the calm. */
const SHARE = { call: 0.2, aws: 0.015, kill: 0.03, delivery: 0.2 };

const statuses = ['429', '500', '502', '503', '504'];
const kinds = [...statuses, 'reset', 'body cut in half', 'revoked token'];

const awsFaults: Record<string, RequestFault[]> = {
  DynamoDB_20120810: [
    { status: 400, code: 'ProvisionedThroughputExceededException' },
    { status: 500, code: 'InternalServerError' },
  ],
  S3: [
    { status: 503, code: 'SlowDown' },
    { status: 500, code: 'InternalError' },
  ],
  AWSEvents: [{ status: 500, code: 'InternalException' }],
};

/** The faults between the bank, AWS and the service. The seed decides about the n-th call of each kind, whenever it is made. */
export class ExchangeFaults {
  readonly #options: ExchangeFaultsOptions;
  readonly #made = new Map<string, number>();
  #killed: AbortController | undefined;

  constructor(options: ExchangeFaultsOptions) {
    this.#options = options;
  }

  /** Adds the faults of the service to the simulator. */
  attend(simulator: Simulator): void {
    const due = new WeakMap<object, string>();
    simulator.hooks.before = async (call, request, reply) => {
      const dice = this.#dice(`call ${call.method} ${call.route}`);
      if (!dice?.chance(SHARE.call)) return;
      const kind = dice.pick(kinds);
      if (kind === 'revoked token') simulator.revokeAllTokens();
      const after = kind === 'body cut in half' || (kind !== 'revoked token' && dice.chance(0.5));
      // 429 and 503 prove that nothing was done (docs/assumptions.md).
      if (after && kind !== '429' && kind !== '503') due.set(call, kind);
      else if (kind !== 'revoked token') await answer(kind, request, reply);
      this.#options.injected.add(`service: ${kind}, ${due.has(call) ? 'after' : 'before'} it was done`);
    };
    simulator.hooks.after = async (call, request, reply, payload) => {
      const kind = due.get(call);
      if (kind === undefined) return undefined;
      if (kind === 'body cut in half') return halved({ kind, after: true }, request, reply, payload);
      if (kind === 'reset') request.raw.socket.destroy();
      else reply.code(Number(kind));
      return undefined;
    };
  }

  readonly requests: RequestWrapper = async (request, serve) => {
    if (!meetsFaults(request)) return undefined;
    if (this.#killed && this.#dice('death')?.chance(0.3)) return this.#die();
    const dice = this.#dice(`request ${request.service}`);
    if (!dice?.chance(SHARE.aws)) return undefined;
    const fault = dice.chance(0.3) ? 'reset' : faultOf(request, dice);
    if (!fault) return undefined;
    const after = dice.chance(0.4);
    this.#options.injected.add(`AWS: ${request.service} fails, ${after ? 'after' : 'before'} it was done`);
    if (after) await serve();
    return fault;
  };

  readonly invocations: InvokeWrapper = async (_name, event, invoke) => {
    if (this.#killed || !this.#dice('invocation')?.chance(SHARE.kill)) return invoke();
    this.#killed = new AbortController();
    return invoke(event, this.#killed.signal);
  };

  readonly deliveries: DeliveryWrapper = (_event, deliver) => {
    const dice = this.#dice('delivery');
    if (!dice?.chance(SHARE.delivery)) return deliver();
    for (const delay of dice.several(1, 3, () => dice.between(0, 600))) {
      this.#options.injected.add('event: late or repeated');
      this.#options.clock.setTimeout(deliver, delay * 1000);
    }
  };

  #die(): RequestFault {
    this.#options.injected.add('function: killed');
    this.#killed?.abort();
    this.#killed = undefined;
    return 'reset';
  }

  /** The dice for the next call of this kind; undefined in the calm. */
  #dice(kind: string): Dice | undefined {
    const { seed, clock, calmFrom } = this.#options;
    if (clock.now() >= calmFrom) return undefined;
    const made = (this.#made.get(kind) ?? 0) + 1;
    this.#made.set(kind, made);
    return new Dice(seed, 'exchange', kind, made);
  }
}

async function answer(kind: string, request: Request, reply: Reply): Promise<void> {
  if (kind === 'reset') await breakOff(request, reply);
  else await reply.code(Number(kind)).send({ error: `simulated_${kind}` });
}

function faultOf({ service }: AwsRequest, dice: Dice): RequestFault | undefined {
  const faults = awsFaults[service];
  return faults && dice.pick(faults);
}
