import { once } from 'node:events';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { SimulatorHooks } from '@business-loan-orders/order-simulator';
import { isOfReads, type ServiceFault } from '../plan/order-plan.ts';
import type { SimulatedWorld } from '../world/simulated-world.ts';
import { oddAnswerOf } from './odd-answers.ts';
import { withMembers } from './service-changes.ts';

type Hook = NonNullable<SimulatorHooks['before']>;
export type Request = Parameters<Hook>[1];
export type Reply = Parameters<Hook>[2];

/** The real milliseconds of a slow body. They are below or above the timeout of calls (world.ts). */
const SLOW = 150;
const TOO_SLOW = 8_200;

/**
 * Whether the fault strikes after the service has done its work. Gateways send any status then. Only what the stage declares for a
 * creation (`orderService.notDone`) never follows one that was done, and neither does a refused token.
 */
export function isAfterwards({ kind, call, after }: ServiceFault): boolean {
  const odd = oddAnswerOf(kind);
  if (odd) return odd.isDone ?? false;
  if (isOfReads(kind) || kind === 'body cut in half' || kind === 'slow body') return true;
  if (/refused|token|secret/.test(kind)) return false;
  return after && !(call === 'create' && /^(429|503 with)/.test(kind));
}

export function isLost(fault: ServiceFault): boolean {
  if (fault.kind === 'slow body') return isTooSlow(fault);
  return fault.kind !== 'stale read' && !oddAnswerOf(fault.kind);
}

export function isTooSlow({ kind, after }: Pick<ServiceFault, 'kind' | 'after'>): boolean {
  return kind === 'slow body' && after;
}

export function nameOf(fault: ServiceFault): string {
  if (isTooSlow(fault)) return 'service: slow body, longer than a call may take';
  return `service: ${fault.kind}, ${isAfterwards(fault) ? 'after' : 'before'} it was done`;
}

/** Whether the function has closed the connection because it timed out in real time. */
export const hasGivenUp = ({ raw: { socket } }: Request): boolean => socket.destroyed || socket.readableEnded;

export async function breakOff(request: Request, reply: Reply): Promise<void> {
  request.raw.socket.destroy();
  await reply.send();
}

/** Sends the first half of the body, then breaks off or sends the rest later. */
function halved(fault: ServiceFault, request: Request, reply: Reply, payload: unknown): unknown {
  const whole = Buffer.from(typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : '');
  const half = Math.floor(whole.length / 2);
  reply.header('content-length', whole.length);
  const pieces = async function* () {
    yield whole.subarray(0, half);
    if (fault.kind === 'slow body') {
      await delay(isTooSlow(fault) ? TOO_SLOW : SLOW);
      yield whole.subarray(half);
    } else {
      await delay(1);
      request.raw.socket.destroy();
    }
  };
  return Readable.from(pieces());
}

/** How long the service cannot be reached, and how long we do not know a rotated secret. Virtual seconds. */
const OUTAGE = 15;
const ROTATION = 2;

export async function strike(
  world: SimulatedWorld,
  { kind, occurrence }: ServiceFault,
  request: Request,
  reply: Reply,
) {
  const { simulator, schedule, putCredentials } = world;
  const odd = oddAnswerOf(kind);
  if (odd) await reply.send(odd.give(reply, undefined, schedule.now()));
  else if (kind === 'connection refused') {
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

export async function answerBroken(fault: ServiceFault, request: Request, reply: Reply, payload: unknown) {
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
  if (kind.endsWith('with Retry-After')) reply.header('retry-after', retryAfter);
  return Number.parseInt(kind, 10);
}

/** A read that is not about our order, or from which no status can be taken. It tempts us to believe that the order is CLOSED. */
export function oddRead(kind: ServiceFault['kind'], body: string, orderIdName: string): string {
  if (kind === 'status UP') return '{"status":"UP"}';
  if (kind === 'repeated status') return body.replace(/}$/, ',"status":"CLOSED"}');
  if (kind === 'foreign order') return withMembers(body, () => ({ [orderIdName]: 'another', status: 'CLOSED' }));
  return withMembers(body, () => ({ status: kind === 'blank status' ? ' ' : 'closed' }));
}

const bodyOf = (kind: ServiceFault['kind']) => ({ error: { code: `simulated_${Number.parseInt(kind, 10)}` } });
