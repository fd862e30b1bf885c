import { findExecution, type KnownExecution } from './executions.ts';
import type { WaitingOrder } from './waiting-orders.ts';

/** Milliseconds. An execution that ended less than this ago may be about to be recorded in the usual way. */
const GRACE = 120_000;

/** What to do about an order that seems to have no running execution. */
export type Finding =
  /** An execution drives it, or ended only just now. */
  | { is: 'attended' }
  /** An execution ended, and nobody recorded it. */
  | { is: 'not recorded'; ended: KnownExecution & { endedAt: number } }
  /** The execution of this generation must be started: the end of the last one is recorded, or it handed over, or there was none. */
  | { is: 'not started'; generation: number };

/** Asks Step Functions about the order's last execution: it may be newer than the one in the record, which claims the order late. */
export async function examine({ orderRef, generation, execution, failure }: WaitingOrder): Promise<Finding> {
  let last = await findExecution(orderRef, generation);
  // Step Functions deletes an execution 90 days after its end. An order that no execution has claimed was never started.
  if (!last && execution === undefined) return { is: 'not started', generation };
  for (let next = generation + 1; ; next += 1) {
    const newer = await findExecution(orderRef, next);
    if (!newer) break;
    last = newer;
  }
  if (last?.endedAt === undefined) return last ? { is: 'attended' } : { is: 'not started', generation: generation + 1 };
  if (last.endedAt > Date.now() - GRACE) return { is: 'attended' };
  const isRecorded = failure !== undefined && last.generation === generation;
  // One that succeeded has handed over to an execution that was never started.
  if (isRecorded || last.status === 'SUCCEEDED') return { is: 'not started', generation: last.generation + 1 };
  return { is: 'not recorded', ended: { ...last, endedAt: last.endedAt } };
}
