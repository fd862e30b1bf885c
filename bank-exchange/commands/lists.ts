import { type Answer, columns, plain, time } from '../../commands/text.ts';
import type { UploadItem } from '../core/upload.ts';
import type { ExchangeConnection } from './connection.ts';

export const UPLOAD_STATES = [
  'received',
  'rejected',
  'sent',
  'replaced',
  'failed',
] as const satisfies UploadItem['state'][];

/** `legacy runs`: what is fetched, up to which time, and whether a run is in progress. */
export async function runs({ record }: ExchangeConnection): Promise<Answer> {
  const items = await record.all('run');
  const rows = items.map(({ work, watermark, execution, startedAt, ended }) => [
    work,
    time(watermark),
    time(ended?.startedAt),
    time(ended?.endedAt),
    execution === undefined ? 'no' : `since ${time(startedAt)}`,
  ]);
  const json = items.map(({ work, watermark, execution, startedAt, ended }) => {
    return { work, watermark, execution, startedAt, ended };
  });
  const headings = ['WORK', 'FETCHED UP TO', 'LAST COMPLETE RUN STARTED', 'ENDED', 'RUNNING'];
  return { lines: table(headings, rows, 'No run has started yet.'), json };
}

/** `legacy requests`: the fetched requests, newest first. */
export async function requests({ record }: ExchangeConnection): Promise<Answer> {
  const items = await record.all('request');
  const rows = items.map(({ requestId, at, size, key }) => [requestId, time(at), String(size), key]);
  const json = items.map(({ requestId, at, size, key, versionId }) => ({ requestId, at, size, key, versionId }));
  return { lines: table(['REQUEST', 'RECEIVED', 'BYTES', 'IN STAGING'], rows, 'No requests yet.'), json };
}

/** `legacy batches`: the batches of tax numbers, newest first. */
export async function batches({ record }: ExchangeConnection): Promise<Answer> {
  const items = await record.all('batch');
  const rows = items.map(({ batch, at, numbers, invalid, key }) => [
    batch,
    time(at),
    String(numbers),
    String(invalid),
    key,
  ]);
  const json = items.map(({ batch, at, numbers, invalid, key }) => ({ batch, at, numbers, invalid, key }));
  const headings = ['BATCH', 'RECEIVED', 'NUMBERS', 'INVALID', 'IN STAGING'];
  return { lines: table(headings, rows, 'No batches of tax numbers yet.'), json };
}

/** `legacy uploads`: the statuses and offers in intake, most recently changed first. */
export async function uploads(
  { record }: ExchangeConnection,
  filter: { state?: UploadItem['state'] },
): Promise<Answer> {
  const items = (await record.all('upload')).filter(
    ({ state }) => filter.state === undefined || state === filter.state,
  );
  const lines = items.length > 0 ? uploadTable(items) : ['No matching uploads.'];
  return { lines, json: items.map(uploadSummary) };
}

/** `legacy show <requestId>`: a request and the statuses that were uploaded for it. */
export async function showRequest({ record }: ExchangeConnection, requestId: string): Promise<Answer> {
  const { at, size, key, versionId, sha256 } = await record.request(requestId);
  const all = await record.all('upload');
  const statuses = all.filter(({ what, name }) => what === 'status' && name === requestId);
  const facts = [
    ['Request', requestId],
    ['Received', time(at)],
    ['Staged as', key],
    ['Bytes', String(size)],
  ];
  const failures = statuses.flatMap(({ upload, failure }) =>
    failure ? [`  ${plain(`${upload}: ${failure.error}: ${failure.cause} ${failure.next}`)}`] : [],
  );
  const table = statuses.length > 0 ? uploadTable(statuses) : ['No statuses yet.'];
  return {
    lines: [
      ...columns(facts),
      '',
      'Statuses',
      ...table.map((line) => `  ${line}`),
      ...(failures.length > 0 ? ['', 'What to do', ...failures] : []),
    ],
    json: { requestId, at, size, key, versionId, sha256, statuses: statuses.map(uploadSummary) },
  };
}

function uploadTable(items: UploadItem[]): string[] {
  const rows = items.map(({ upload, what, name, state, at, failure }) => [
    upload,
    what,
    name,
    state,
    time(at),
    failure?.error ?? '',
  ]);
  return columns([['UPLOAD', 'OF', 'FOR', 'STATE', 'CHANGED', 'FAILURE'], ...rows]);
}

function uploadSummary({ upload, what, name, state, at, versionId, failure }: UploadItem) {
  return { upload, what, name, state, at, versionId, failure };
}

function table(headings: string[], rows: string[][], none: string): string[] {
  return rows.length > 0 ? columns([headings, ...rows]) : [none];
}
