import { once } from 'node:events';
import type { ServiceFault } from '../plan/order-plan.ts';
import type { SimulatedWorld } from '../world/simulated-world.ts';
import { breakOff, halved, type Reply, type Request } from './broken-answers.ts';

/** How long the service cannot be reached, and how long we do not know a rotated secret. Virtual seconds. */
const OUTAGE = 15;
const ROTATION = 2;

/** Strikes a call before the service has done its work. */
export async function strike(
  { simulator, schedule, putCredentials }: SimulatedWorld,
  { kind, occurrence }: ServiceFault,
  request: Request,
  reply: Reply,
): Promise<void> {
  if (kind === 'connection refused') {
    // This call has already reached the simulator, so it is broken off. The following calls are refused.
    simulator.stopListening();
    schedule.later(OUTAGE, () => simulator.listenAgain());
    await breakOff(request, reply);
  } else if (kind === 'revoked token') simulator.revokeAllTokens();
  else if (kind === 'rotated secret') {
    simulator.rotateClientSecret();
    simulator.revokeAllTokens();
    // Our copy of the secret follows later, as a person would update it.
    schedule.later(ROTATION, putCredentials);
  } else if (kind === 'reset') await breakOff(request, reply);
  else if (kind === 'timeout') {
    await once(request.raw.socket, 'close');
    await reply.send();
  } else if (kind === 'expired token') await reply.code(401).send({ error: { code: 'token_expired' } });
  else await reply.code(statusOf(kind, reply, occurrence === 1 ? '45' : '1')).send(bodyOf(kind));
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
    reply.code(statusOf(kind, reply, '45')).header('content-type', 'application/json');
    return JSON.stringify(bodyOf(kind));
  }
  return undefined;
}

function statusOf(kind: ServiceFault['kind'], reply: Reply, retryAfter: string): number {
  if (kind === '429 with Retry-After') reply.header('retry-after', retryAfter);
  return Number.parseInt(kind, 10);
}

const bodyOf = (kind: ServiceFault['kind']) => ({ error: { code: `simulated_${Number.parseInt(kind, 10)}` } });
