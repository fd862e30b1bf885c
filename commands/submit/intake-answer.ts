import { setTimeout as pause } from 'node:timers/promises';
import { packageKey } from '../../core/package/intake-key.ts';
import type { StatusPage } from '../../core/staging/pages.ts';
import { answerKey, type RejectedUpload, type RejectionProblem } from '../../core/staging/rejected-upload.ts';
import type { Buckets } from '../shared/buckets.ts';

/** What the function `check-package` staged for a package. `none`: nothing in time. */
export type IntakeAnswer =
  | { kind: 'accepted'; page: StatusPage }
  | { kind: 'rejected'; problems: RejectionProblem[] }
  | { kind: 'none' };

/** Milliseconds between the first two looks, and at most between later ones. The laptop answers at once, AWS within seconds. */
const FIRST_WAIT = 50;
const LONGEST_WAIT = 500;
/** Milliseconds until the command stops looking. */
const PATIENCE = 120_000;

/**
 * Waits for the answer to a package.
 * @param versionId the version of its `order.json` in intake.
 */
export async function awaitAnswer(buckets: Buckets, orderRef: string, versionId: string): Promise<IntakeAnswer> {
  const answer = answerKey({ key: packageKey(orderRef), versionId });
  const end = Date.now() + PATIENCE;
  for (let wait = FIRST_WAIT; Date.now() < end; wait = Math.min(2 * wait, LONGEST_WAIT)) {
    const page = await buckets.staged<StatusPage>(orderRef, 'status.json');
    if (page) return { kind: 'accepted', page };
    const rejected = await buckets.stagedAt<RejectedUpload>(answer);
    if (rejected) return { kind: 'rejected', problems: rejected.problems };
    await pause(wait);
  }
  return { kind: 'none' };
}
