import { type ExecutionChanged, executionChanged, readableCause } from '../../../core/aws/execution-end.ts';
import type { State } from '../../../core/ledger/knowledge.ts';
import { lambdaHandler, logger } from '../../../core/log.ts';
import { eachEvent } from '../../../core/queue-batch.ts';
import { type FetchWork, releaseRun } from '../../core/run.ts';
import { endUpload, findSent, findUpload, type UploadWork } from '../../core/upload.ts';

/**
 * Handles an execution of the exchange that ended without success. Releases its run, or stages the result of its upload for
 * the bank. EventBridge sends the events, because an aborted or timed-out execution cannot run a state for it.
 */
async function recordEnd({ detail }: ExecutionChanged): Promise<void> {
  const { work, upload } = JSON.parse(detail.input ?? '{}') as { work?: FetchWork | UploadWork; upload?: string };
  logger.appendKeys({ work, upload });
  if (work === 'fetch-requests' || work === 'fetch-inns') {
    const released = await releaseRun(work, detail.executionArn);
    logger.warn('A run ended without success. The next run begins where it began', { released });
    return;
  }
  if (work !== undefined && upload !== undefined) return recordUpload(work, upload, detail);
  logger.warn('An execution ended whose input does not name the work', { status: detail.status });
}

/** Records how an upload ended. The ledger, not the execution's status, shows whether it was sent. */
async function recordUpload(work: UploadWork, upload: string, detail: ExecutionChanged['detail']): Promise<void> {
  const item = await findUpload(upload);
  if (!item || item.state === 'sent') return;
  const entry = await findSent(upload, work);
  if (entry?.knowledge.state === 'done') return endUpload(item, { state: 'sent' });
  const error = detail.error ?? detail.status;
  const cause = readableCause(detail, 'upload the file again');
  await endUpload(item, { state: 'failed', failure: { error, cause, next: adviceFor(entry?.knowledge.state) } });
}

function adviceFor(state: State | undefined): string {
  if (state === 'open')
    return 'It is unknown whether the bank exchange has the file. Ask its operator. To send the file again, upload it again.';
  return 'The file was not sent. Fix the cause, then upload the file again under the same name.';
}

export const handler = lambdaHandler(eachEvent((event) => recordEnd(executionChanged(event))));
