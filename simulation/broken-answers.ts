import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { SimulatorHooks } from '../simulator/index.ts';
import type { ServiceFault } from './plan.ts';

type Hook = NonNullable<SimulatorHooks['before']>;
export type Request = Parameters<Hook>[1];
export type Reply = Parameters<Hook>[2];

/** Real milliseconds that a slow body takes. */
const SLOW = 150;

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
export function isLost({ kind }: ServiceFault): boolean {
  return kind !== 'stale read' && kind !== 'slow body';
}

export async function breakOff(request: Request, reply: Reply): Promise<void> {
  request.raw.socket.destroy();
  await reply.send();
}

/** The first half of the body, and then nothing more, or the rest a while later. */
export function halved(
  kind: 'body cut in half' | 'slow body',
  request: Request,
  reply: Reply,
  payload: unknown,
): unknown {
  const whole = Buffer.from(typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : '');
  const half = Math.floor(whole.length / 2);
  reply.header('content-length', whole.length);
  const pieces = async function* () {
    yield whole.subarray(0, half);
    await delay(kind === 'slow body' ? SLOW : 1);
    if (kind === 'slow body') yield whole.subarray(half);
    else request.raw.socket.destroy();
  };
  return Readable.from(pieces());
}
