import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { SimulatorHooks } from '@business-loan-orders/order-simulator';
import type { ServiceFault } from '../plan/order-plan.ts';

type Hook = NonNullable<SimulatorHooks['before']>;
export type Request = Parameters<Hook>[1];
export type Reply = Parameters<Hook>[2];

/** The real milliseconds of a slow body. They are below or above the timeout of calls (world.ts). */
const SLOW = 150;
const TOO_SLOW = 3_200;

/**
 * Whether the fault strikes after the service has done its work. A 429 or 503 says that nothing was done. For a creation we rely on
 * that (docs/assumptions.md), so they never follow a creation that was done. After other calls the simulation sends them anyway.
 */
export function isAfterwards({ kind, call, after }: ServiceFault): boolean {
  if (kind === 'stale read' || kind === 'body cut in half' || kind === 'slow body') return true;
  if (/refused|token|secret/.test(kind)) return false;
  return after && !(call === 'create' && /^(429|503)/.test(kind));
}

/** Whether the answer does not reach us. */
export function isLost(fault: ServiceFault): boolean {
  return fault.kind === 'slow body' ? isTooSlow(fault) : fault.kind !== 'stale read';
}

/** Whether a slow body takes longer than our timeout. */
export function isTooSlow({ kind, after }: Pick<ServiceFault, 'kind' | 'after'>): boolean {
  return kind === 'slow body' && after;
}

/** The name under which a fault is counted. */
export function nameOf(fault: ServiceFault): string {
  if (isTooSlow(fault)) return 'service: slow body, longer than a call may take';
  return `service: ${fault.kind}, ${isAfterwards(fault) ? 'after' : 'before'} it was done`;
}

/** Whether the function has closed the connection because it timed out in real time. */
export function hasGivenUp({ raw: { socket } }: Request): boolean {
  return socket.destroyed || socket.readableEnded;
}

export async function breakOff(request: Request, reply: Reply): Promise<void> {
  request.raw.socket.destroy();
  await reply.send();
}

/** Sends the first half of the body, then breaks off or sends the rest later. */
export function halved(
  fault: Pick<ServiceFault, 'kind' | 'after'>,
  request: Request,
  reply: Reply,
  payload: unknown,
): unknown {
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
