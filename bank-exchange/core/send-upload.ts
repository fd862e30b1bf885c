import { type CallContext, InvalidPackage } from '../../core/errors.ts';
import { type Operation, performOperation } from '../../core/ledger/perform-operation.ts';
import { logger } from '../../core/log.ts';
import { exchangePatience } from './exchange-service.ts';
import type { CheckedFile } from './status-file.ts';
import {
  endUpload,
  findSent,
  findUpload,
  isCurrent,
  readUpload,
  type UploadItem,
  type UploadWork,
  uploadSubject,
} from './upload.ts';

export interface UploadInput {
  work: UploadWork;
  upload: string;
}

interface Sending extends Pick<Operation, 'unknown'> {
  what: UploadItem['what'];
  check(bytes: Uint8Array): CheckedFile;
  /** Sends the file to the service. `name` is the `requestId` or the batch. */
  send(name: string, body: string, context: CallContext): Promise<void>;
}

/** Sends a file through the ledger and stages the result. Skips a file that was replaced by a newer one. */
export async function sendUpload({ work, upload }: UploadInput, { what, check, send, unknown }: Sending) {
  const item = await findUpload(upload);
  if (item?.what !== what) throw new InvalidPackage(`Upload ${upload} is not recorded as ${what}. Nothing was sent.`);
  const sent = await findSent(upload, work);
  if (sent?.knowledge.state !== 'done' && !(await isCurrent(item))) {
    logger.info('The file was replaced by a newer one, so it is not sent');
    await endUpload(item, { state: 'replaced' });
    return { upload, outcome: 'replaced' };
  }
  const checked = check(await readUpload(item));
  if ('problems' in checked)
    throw new InvalidPackage(`Upload ${upload} is not the file that was checked. Nothing was sent.`);
  const { body } = checked;
  await performOperation({
    subject: uploadSubject(item, await exchangePatience(`Upload ${upload}`)),
    name: work,
    unknown,
    call: async (context) => {
      await send(item.name, body, context);
      return { bytes: Buffer.byteLength(body) };
    },
  });
  await endUpload(item, { state: 'sent' });
  return { upload, outcome: 'sent' };
}
