import { setTimeout as pause } from 'node:timers/promises';
import type { Problem } from '../../core/json/json-problems.ts';
import type { OrderItem } from '../../core/order/order-item.ts';
import type { Buckets } from '../stage/buckets.ts';

/** The members of `status.json` that commands show. */
export type StatusPage = Pick<OrderItem, 'orderRef' | 'status' | 'waitingFor'>;

/** What the function `intake` staged for a package. `none`: nothing in time. */
export type IntakeAnswer =
  | { kind: 'accepted'; page: StatusPage }
  | { kind: 'rejected'; problems: Problem[] }
  | { kind: 'none' };

/** Milliseconds between two looks, and until nobody looks any more. Intake answers within seconds. */
const LOOK_EVERY = 500;
const PATIENCE = 120_000;

/**
 * Waits for the answer to a package.
 * @param versionId the version of its `order.json`, if it has just been uploaded. A rejection of an earlier version does not count.
 */
export async function awaitAnswer(buckets: Buckets, orderRef: string, versionId?: string): Promise<IntakeAnswer> {
  for (const end = Date.now() + PATIENCE; Date.now() < end; await pause(LOOK_EVERY)) {
    const page = await buckets.staged<StatusPage>(orderRef, 'status.json');
    if (page) return { kind: 'accepted', page };
    const rejected = await buckets.staged<{ versionId: string; problems: Problem[] }>(orderRef, 'rejected.json');
    if (rejected && (versionId === undefined || rejected.versionId === versionId)) {
      return { kind: 'rejected', problems: rejected.problems };
    }
  }
  return { kind: 'none' };
}
