import { startNamedExecution } from '../../../core/aws/start-execution.ts';
import { headObject } from '../../../core/aws/storage.ts';
import { lambdaHandler, logger } from '../../../core/log.ts';
import { type CreatedObject, objectCreated } from '../../../core/package/intake-event.ts';
import { eachEvent } from '../../../core/queue-batch.ts';
import { stackSettings } from '../../../core/settings.ts';
import { exchangeKey, publishExchangeJson } from '../../core/exchange-staging.ts';
import { readBatch } from '../../core/inn-batch.ts';
import { checkOffers } from '../../core/offers-file.ts';
import { resourceSettings } from '../../core/settings.ts';
import { type CheckedFile, checkStatus } from '../../core/status-file.ts';
import {
  addUpload,
  endUpload,
  findUpload,
  readUpload,
  type UploadItem,
  uploadedFile,
  uploadId,
} from '../../core/upload.ts';

/** Size limits in bytes. Each file is sent in one call. */
const MAX_SIZE = { status: 64 * 1024, offers: 5 * 1024 * 1024 };
const WORK = { status: 'send-status', offers: 'return-offers' } as const;

/**
 * Handles a new status or offers file in intake. Records and checks it. If it is valid, starts an execution, otherwise stages the
 * problems. Ignores versions that are not current.
 */
async function intake({ key, 'version-id': newest }: CreatedObject): Promise<void> {
  // The S3 console creates such objects for folders.
  if (key.endsWith('/')) return;
  const facts = await headObject({ bucket: stackSettings.intakeBucket, key });
  if (!facts || facts.versionId !== newest) {
    logger.info('The file was replaced by a newer one, which has its own event');
    return;
  }
  const { versionId, size } = facts;
  const file = uploadedFile(key);
  if (!file) return answerMisnamed(key, versionId);
  const upload = uploadId(key, versionId);
  logger.appendKeys({ upload, what: file.what });
  const at = new Date().toISOString();
  const item: UploadItem = { ...file, kind: 'upload', at, upload, key, versionId, state: 'received' };
  await addUpload(item);
  // The event was delivered again.
  if ((await findUpload(upload))?.state === 'sent') return;
  const checked = await check(item, size);
  if ('problems' in checked) {
    logger.warn('An upload was rejected', { problems: checked.problems.length });
    return endUpload(item, { state: 'rejected', problems: checked.problems });
  }
  const work = WORK[file.what];
  await startNamedExecution(resourceSettings.stateMachine, `${file.what}-${upload}`, { work, upload });
  logger.info('The execution that sends the file was started');
}

async function check(item: UploadItem, size: number): Promise<CheckedFile> {
  const maxSize = MAX_SIZE[item.what];
  if (size > maxSize) {
    const problem = `The file is larger than ${maxSize} bytes.`;
    return { problems: [{ path: '$', problem, fix: 'Upload a smaller file.' }] };
  }
  const bytes = await readUpload(item);
  if (item.what === 'status') return checkStatus(bytes);
  const batch = await readBatch(item.name);
  return checkOffers(bytes, batch && new Set(batch.numbers));
}

async function answerMisnamed(key: string, versionId: string): Promise<void> {
  // The key may contain personal data, so the version ID is logged to identify the file.
  logger.warn('A file in intake is neither a status nor offers', { versionId });
  const problem = 'The file name is neither that of a status nor that of offers.';
  const fix = 'Name it legacy/status/<requestId>.json or legacy/offers/<batch>.json, and upload it again.';
  await publishExchangeJson(exchangeKey(`misnamed/${encodeURIComponent(key)}.json`), {
    key,
    versionId,
    outcome: 'rejected',
    problems: [{ path: '$', problem, fix }],
  });
}

export const handler = lambdaHandler(eachEvent((event) => intake(objectCreated(event))));
