import { setTimeout as pause } from 'node:timers/promises';
import type { OrderItem } from '../../core/order/order-item.ts';
import { packageKey } from '../../core/package/intake-key.ts';
import { answerKey, type RejectedUpload, type RejectionProblem } from '../../core/people/rejected-upload.ts';
import type { Buckets } from '../stage/buckets.ts';

/** The members of `status.json` that commands show. */
export type StatusPage = Pick<OrderItem, 'orderRef' | 'status' | 'waitingFor'>;

/** What the function `check-package` staged for a package. `none`: nothing in time. */
export type IntakeAnswer =
  | { kind: 'accepted'; page: StatusPage }
  | { kind: 'rejected'; problems: RejectionProblem[] }
  | { kind: 'none' };

/** Milliseconds between two looks, and until the command stops looking. Intake answers within seconds. */
const LOOK_EVERY = 500;
const PATIENCE = 120_000;

/**
 * Waits for the answer to a package.
 * @param versionId the version of its `order.json` in intake.
 */
export async function awaitAnswer(buckets: Buckets, orderRef: string, versionId: string): Promise<IntakeAnswer> {
  const answer = answerKey({ key: packageKey(orderRef), versionId });
  for (const end = Date.now() + PATIENCE; Date.now() < end; await pause(LOOK_EVERY)) {
    const page = await buckets.staged<StatusPage>(orderRef, 'status.json');
    if (page) return { kind: 'accepted', page };
    const rejected = await buckets.stagedAt<RejectedUpload>(answer);
    if (rejected) return { kind: 'rejected', problems: rejected.problems };
  }
  return { kind: 'none' };
}
