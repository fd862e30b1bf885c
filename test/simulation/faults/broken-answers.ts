import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { SimulatorHooks } from '../../../simulator/index.ts';
import type { ServiceFault } from '../plan/order-plan.ts';

type Hook = NonNullable<SimulatorHooks['before']>;
export type Request = Parameters<Hook>[1];
export type Reply = Parameters<Hook>[2];

/** Real milliseconds that a slow body takes: within what a call may take, or beyond it (world.ts). */
const SLOW = 150;
const TOO_SLOW = 3_200;

/**
 * 429 and 503 say that nothing was done. Of a creation we take the service's word for it (docs/assumptions.md), so they are not
 * sent after one; for every other call the simulation lets them lie.
 */
export function isAfterwards({ kind, call, after }: ServiceFault): boolean {
  if (kind === 'stale read' || kind === 'body cut in half' || kind === 'slow body') return true;
  if (/refused|token|secret/.test(kind)) return false;
  return after && !(call === 'create' && /^(429|503)/.test(kind));
}

/** Whether the answer never reaches us. */
export function isLost(fault: ServiceFault): boolean {
  return fault.kind === 'slow body' ? isTooSlow(fault) : fault.kind !== 'stale read';
}

/** Whether a slow body outlasts our patience with it. */
export function isTooSlow({ kind, after }: Pick<ServiceFault, 'kind' | 'after'>): boolean {
  return kind === 'slow body' && after;
}

/** What a fault that has struck is counted as. */
export function nameOf(fault: ServiceFault): string {
  if (isTooSlow(fault)) return 'service: slow body, longer than a call may take';
  return `service: ${fault.kind}, ${isAfterwards(fault) ? 'after' : 'before'} it was done`;
}

/** Whether the function that made the call has given up, by the machine's clock. */
export function hasGivenUp({ raw: { socket } }: Request): boolean {
  return socket.destroyed || socket.readableEnded;
}

export async function breakOff(request: Request, reply: Reply): Promise<void> {
  request.raw.socket.destroy();
  await reply.send();
}

/** The first half of the body, and then nothing more, or the rest a while later. */
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
