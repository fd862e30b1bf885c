import { PutObjectCommand } from '@aws-sdk/client-s3';
import { checkStatus } from '../../functions/shared/legacy/status-file.ts';
import type { UploadItem } from '../../functions/shared/legacy/upload.ts';
import { type Answer, Refusal } from '../refusal.ts';
import type { LegacyConnection } from './connection.ts';
import { WORK } from './record.ts';

/** `legacy fetch <what>`: a run now, without waiting for its schedule. */
export async function fetchNow({ executions }: LegacyConnection, what: 'requests' | 'inns'): Promise<Answer> {
  const work = `fetch-${what}`;
  const execution = await executions.start({ work });
  const line = `A run ${work} was started; where another one is at work, this one leaves everything to it. Follow it with "loan-orders legacy runs".`;
  return { lines: [line], json: { work, execution } };
}

/** Members of a status as they are typed; numbers are sent to the digit. */
export interface TypedStatus {
  newStatus: string;
  loanAmount?: string;
  loanTerm?: string;
  loanTermInDays?: string;
}

/**
 * `legacy status <requestId>`: puts a status into intake, as the bank does.
 * @throws Refusal with every problem of it; then nothing is uploaded.
 */
export async function sendStatus({ intake }: LegacyConnection, requestId: string, typed: TypedStatus): Promise<Answer> {
  const { newStatus, ...numbers } = typed;
  const members = Object.entries(numbers).map(([name, text]) => `"${name}":${text}`);
  const Body = `{${[`"newStatus":${JSON.stringify(newStatus)}`, ...members].join(',')}}`;
  const checked = checkStatus(new TextEncoder().encode(Body));
  if ('problems' in checked) {
    const problems = checked.problems.map(({ path, problem, mend }) => `${path}: ${problem} ${mend}`);
    throw new Refusal(`This is no status to send; nothing was uploaded. ${problems.join(' ')}`);
  }
  const Key = `legacy/status/${encodeURIComponent(requestId)}.json`;
  const { VersionId: versionId } = await intake.s3.send(new PutObjectCommand({ Bucket: intake.bucket, Key, Body }));
  const line = `The status was uploaded to intake as ${Key}; the answer comes into staging under the same name. Follow it with "loan-orders legacy show ${requestId}".`;
  return { lines: [line], json: { requestId, key: Key, versionId } };
}

/** `legacy retry <upload>`: the next execution for an upload whose last one failed; what was sent is not sent again. */
export async function retryUpload({ record, executions }: LegacyConnection, upload: string): Promise<Answer> {
  const { item, operation } = await record.upload(upload);
  refuseEnded(item);
  const { free, last } = await executions.next(`${item.what}-${upload}`);
  if (last?.status === 'RUNNING' || last?.status === 'PENDING_REDRIVE') {
    throw new Refusal(`Upload ${upload} is at work in execution ${last.name}: nothing was started. Wait for its end.`);
  }
  if (item.what === 'offers' && operation?.knowledge.state === 'open') {
    throw new Refusal(
      `The bank exchange may or may not have the offers of upload ${upload}: nothing was started, since they could be there twice. ` +
        'Ask it; to send them once more, upload the file again.',
    );
  }
  const execution = await executions.start({ work: WORK[item.what], upload }, free);
  const line = `Execution ${free} was started. Follow it with "loan-orders legacy uploads".`;
  return { lines: [line], json: { upload, execution } };
}

/** Only what failed, or was received and never started, can be tried again. */
function refuseEnded({ upload, state }: UploadItem): void {
  const ends: Partial<Record<UploadItem['state'], string>> = {
    sent: 'was sent: there is nothing to retry.',
    replaced: 'gave way to a newer file under its name: there is nothing to retry.',
    rejected: 'was rejected: correct the file as the answer in staging says, and upload it again.',
  };
  const end = ends[state];
  if (end) throw new Refusal(`Upload ${upload} ${end} Nothing was started.`);
}
