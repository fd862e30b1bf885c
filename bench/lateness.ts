import type { RecordedCall } from '../packages/order-simulator/index.ts';
import { percentile } from './sample.ts';

/** How late reads came after the wait that the service had asked for. Milliseconds. */
export interface Lateness {
  /** How many reads followed only a wait. */
  polls: number;
  median: number;
  p95: number;
  maximum: number;
  /** How many reads of any kind came before the wait was over. */
  early: number;
}

const READ = 'GET /v1/orders/{orderId}';

/**
 * The lateness of polls, from calls in order of arrival. A read is a poll if the previous call for the same order was a read too.
 * Otherwise there was work to do before the read.
 */
export function latenessOf(calls: readonly RecordedCall[]): Lateness {
  const before = new Map<string, RecordedCall>();
  const late: number[] = [];
  for (const call of calls) {
    if (call.orderId === undefined) continue;
    const last = before.get(call.orderId);
    if (isRead(call) && last && isRead(last)) late.push(call.at - last.at - 1000 * pollAfterSeconds(last));
    before.set(call.orderId, call);
  }
  late.sort((one, other) => one - other);
  return {
    polls: late.length,
    median: percentile(late, 0.5),
    p95: percentile(late, 0.95),
    maximum: late.at(-1) ?? 0,
    early: calls.filter(({ earlyBySeconds = 0 }) => earlyBySeconds > 0).length,
  };
}

function isRead({ method, route, status = 0 }: RecordedCall): boolean {
  return `${method} ${route}` === READ && status === 200;
}

function pollAfterSeconds({ responseBody }: RecordedCall): number {
  return (responseBody as { pollAfterSeconds: number }).pollAfterSeconds;
}
