import { once } from 'node:events';
import type { ServiceFault } from '../plan/order-plan.ts';
import type { SimulatedWorld } from '../world/simulated-world.ts';
import { breakOff, halved, type Reply, type Request } from './broken-answers.ts';

/** How long the service cannot be reached, and how long we do not know a rotated secret. Virtual seconds. */
const OUTAGE = 15;
const ROTATION = 2;

/** What each kind of fault of the order service does to a call. */
export class Strikes {
  readonly #world: SimulatedWorld;

  constructor(world: SimulatedWorld) {
    this.#world = world;
  }

  /** Strikes a call before the service has done its work. */
  async before({ kind, occurrence }: ServiceFault, request: Request, reply: Reply): Promise<void> {
    const { simulator } = this.#world;
    if (kind === 'connection refused') {
      // This call has already reached the simulator, so it is broken off. The following calls are refused.
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

  #outage(): void {
    const { simulator, schedule } = this.#world;
    simulator.stopListening();
    schedule.later(OUTAGE, () => simulator.listenAgain());
  }

  /** Replaces the secret and revokes every token at once. Our copy of the secret follows later, as a person would update it. */
  #rotate(): void {
    const { simulator, schedule, putCredentials } = this.#world;
    simulator.rotateClientSecret();
    simulator.revokeAllTokens();
    schedule.later(ROTATION, putCredentials);
  }
}

/** The body to send instead of the answer, after the service has done its work. */
export async function answerBroken(
  fault: ServiceFault,
  request: Request,
  reply: Reply,
  payload: unknown,
): Promise<unknown> {
  const { kind } = fault;
  if (kind === 'body cut in half' || kind === 'slow body') return halved(fault, request, reply, payload);
  if (kind === 'reset') request.raw.socket.destroy();
  else if (kind === 'timeout') await once(request.raw.socket, 'close');
  else {
    const [status] = kind.split(' ');
    if (kind === '429 with Retry-After') reply.header('retry-after', '45');
    reply.code(Number(status)).header('content-type', 'application/json');
    return JSON.stringify({ error: { code: `simulated_${status}` } });
  }
  return undefined;
}
