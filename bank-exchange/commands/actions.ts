import { PutObjectCommand } from '@aws-sdk/client-s3';
import { type Answer, Refusal } from '../../commands/text.ts';
import { statusFileProblems } from '../core/status-file.ts';
import type { UploadItem } from '../core/upload.ts';
import type { ExchangeConnection } from './connection.ts';
import { WORK } from './record.ts';

/** `legacy fetch <what>`: starts a run now, without waiting for its schedule. */
export async function fetchNow({ executions }: ExchangeConnection, what: 'requests' | 'inns'): Promise<Answer> {
  const work = `fetch-${what}`;
  const execution = await executions.start({ work });
  const line = `A ${work} run was started. If another one is already running, this one ends without work. Follow it with "loan-orders legacy runs".`;
  return { lines: [line], json: { work, execution } };
}

/** The properties of a status as the user typed them. Numbers stay text, because they are sent digit for digit. */
export interface TypedStatus {
  newStatus: string;
  loanAmount?: string;
  loanTerm?: string;
  loanTermInDays?: string;
}

/**
 * `legacy status <requestId>`: uploads a status to intake, as the bank does.
 * @throws Refusal that lists the problems of an invalid status, of which nothing is uploaded.
 */
export async function sendStatus(
  { intake }: ExchangeConnection,
  requestId: string,
  typed: TypedStatus,
): Promise<Answer> {
  const { newStatus, ...numbers } = typed;
  const members = Object.entries(numbers).map(([name, text]) => `"${name}":${text}`);
  const Body = `{${[`"newStatus":${JSON.stringify(newStatus)}`, ...members].join(',')}}`;
  const wrong = statusFileProblems(new TextEncoder().encode(Body));
  if (wrong.length > 0) {
    const problems = wrong.map(({ path, problem, fix }) => `${path}: ${problem} ${fix}`);
    throw new Refusal(`This status cannot be sent: nothing was uploaded. ${problems.join(' ')}`);
  }
  const Key = `legacy/status/${encodeURIComponent(requestId)}.json`;
  const { VersionId: versionId } = await intake.s3.send(new PutObjectCommand({ Bucket: intake.bucket, Key, Body }));
  const line = `The status was uploaded to intake as ${Key}. Its answer appears in staging under the same name. Follow it with "loan-orders legacy show ${requestId}".`;
  return { lines: [line], json: { requestId, key: Key, versionId } };
}

/** `legacy retry <upload>`: starts the next execution of a failed upload. Nothing that was sent is sent again. */
export async function retryUpload({ record, executions }: ExchangeConnection, upload: string): Promise<Answer> {
  const { item, operation } = await record.upload(upload);
  refuseEnded(item);
  const { free, last } = await executions.next(`${item.what}-${upload}`);
  if (last?.status === 'RUNNING' || last?.status === 'PENDING_REDRIVE') {
    throw new Refusal(
      `Execution ${last.name} of upload ${upload} is running: nothing was started. Wait until it ends.`,
    );
  }
  if (item.what === 'offers' && operation?.knowledge.state === 'open') {
    throw new Refusal(
      `It is unknown whether the bank exchange has received the offers of upload ${upload}: nothing was started, because they could arrive twice. ` +
        'Ask whoever runs the exchange. If they did not arrive, upload the file again.',
    );
  }
  const execution = await executions.start({ work: WORK[item.what], upload }, free);
  const line = `Execution ${free} was started. Follow it with "loan-orders legacy uploads".`;
  return { lines: [line], json: { upload, execution } };
}

/** Only an upload that failed, or was received and never started, can be retried. */
function refuseEnded({ upload, state }: UploadItem): void {
  const ends: Partial<Record<UploadItem['state'], string>> = {
    sent: 'was sent: there is nothing to retry.',
    replaced: 'was replaced by a newer file of the same name: there is nothing to retry.',
    rejected: 'was rejected: correct the file as the answer in staging says, and upload it again.',
  };
  const end = ends[state];
  if (end) throw new Refusal(`Upload ${upload} ${end} Nothing was started.`);
}
