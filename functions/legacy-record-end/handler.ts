import { type ExecutionEnded, readableCause } from '../shared/aws/execution-end.ts';
import { lambdaHandler } from '../shared/lambda-handler.ts';
import type { State } from '../shared/ledger/knowledge.ts';
import { type FetchWork, releaseRun } from '../shared/legacy/run.ts';
import { endUpload, findSent, findUpload, type UploadWork } from '../shared/legacy/upload.ts';
import { logger } from '../shared/log.ts';

interface ExchangeInput {
  work?: FetchWork | UploadWork;
  upload?: string;
}

/**
 * An execution of the exchange ended without success: a run is over, so that the next one may begin; of an upload the bank is told.
 * It comes as an event because no state of an aborted or timed-out execution can run any more.
 */
async function recordEnd({ detail }: ExecutionEnded): Promise<void> {
  const { work, upload } = JSON.parse(detail.input ?? '{}') as ExchangeInput;
  logger.appendKeys({ work, upload });
  if (work === 'fetch-requests' || work === 'fetch-inns') {
    const released = await releaseRun(work, detail.executionArn);
    logger.warn('A run ended without success; the next one begins where it began', { released });
    return;
  }
  if (work !== undefined && upload !== undefined) return recordUpload(work, upload, detail);
  logger.warn('An execution without a work of the exchange ended', { status: detail.status });
}

/** What the ledger knows to be sent was sent, however its execution ended. */
async function recordUpload(work: UploadWork, upload: string, detail: ExecutionEnded['detail']): Promise<void> {
  const item = await findUpload(upload);
  if (!item || item.state === 'sent') return;
  const entry = await findSent(upload, work);
  if (entry?.knowledge.state === 'done') return endUpload(item, { state: 'sent' });
  const error = detail.error ?? detail.status;
  const cause = readableCause(detail, 'upload the file again');
  await endUpload(item, { state: 'failed', failure: { error, cause, next: adviceFor(entry?.knowledge.state) } });
}

function adviceFor(state: State | undefined): string {
  if (state === 'open') {
    return 'Nobody knows whether the bank exchange has it: ask there. To send it once more, upload the file again.';
  }
  return 'It was not sent. Once the cause is mended, upload the file again under the same name.';
}

export const handler = lambdaHandler(recordEnd).before(({ context }) => {
  logger.resetKeys();
  logger.appendKeys({ requestId: context.awsRequestId });
});
