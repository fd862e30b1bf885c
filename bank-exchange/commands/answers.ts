import { type CommandResult, columns, plain, time } from '../../commands/shared/text.ts';
import type { UploadItem } from '../core/upload.ts';
import type { ExchangeConnection } from './connection.ts';

export const UPLOAD_STATES: UploadItem['state'][] = ['received', 'rejected', 'sent', 'replaced', 'failed'];

/** `legacy runs`: up to which time each kind of data is fetched, and whether a run is in progress. */
export async function runs({ record }: ExchangeConnection): Promise<CommandResult> {
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
  return { lines: rows.length > 0 ? columns([headings, ...rows]) : ['No run has started yet.'], json };
}

/** `legacy uploads`: uploaded statuses and offers, most recently changed first, with advice for failures. */
export async function uploads(
  { record }: ExchangeConnection,
  filter: { state?: UploadItem['state'] },
): Promise<CommandResult> {
  const all = await record.all('upload');
  const items = all
    .filter(({ state }) => filter.state === undefined || state === filter.state)
    // The index does not order uploads with the same time.
    .sort((one, other) => other.at.localeCompare(one.at) || one.upload.localeCompare(other.upload));
  const headings = ['UPLOAD', 'OF', 'FOR', 'STATE', 'CHANGED'];
  const rows = items.map(({ upload, what, name, state, at }) => [upload, what, name, state, time(at)]);
  const failures = items.flatMap(({ upload, failure }) =>
    failure ? [`  ${plain(`${upload}: ${failure.error}: ${failure.cause} ${failure.next}`)}`] : [],
  );
  const table = rows.length > 0 ? columns([headings, ...rows]) : ['No matching uploads.'];
  const json = items.map(({ upload, what, name, state, at, versionId, failure }) => {
    return { upload, what, name, state, at, versionId, failure };
  });
  return { lines: [...table, ...(failures.length > 0 ? ['', 'What to do', ...failures] : [])], json };
}

/** `legacy fetch <what>`: starts a run without waiting for its schedule. */
export async function fetchNow({ start }: ExchangeConnection, what: 'requests' | 'inns'): Promise<CommandResult> {
  const work = `fetch-${what}`;
  const execution = await start(work);
  const line = `A ${work} run was started. If another one is already running, this one ends without work. Follow it with "loan-orders legacy runs".`;
  return { lines: [line], json: { work, execution } };
}
