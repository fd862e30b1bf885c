import { createHash } from 'node:crypto';
import { headObject, readObject } from '../../core/aws/storage.ts';
import { InvalidPackage } from '../../core/errors.ts';
import type { Problem } from '../../core/json/json-problems.ts';
import { findEntry, type LedgerEntry } from '../../core/ledger/entry.ts';
import type { Subject } from '../../core/ledger/perform-operation.ts';
import { decodedName } from '../../core/package/intake-key.ts';
import { NOT_CREATED } from '../../core/service/what-answers-prove.ts';
import { stackSettings } from '../../core/settings.ts';
import type { ExchangePatience } from './exchange-service.ts';
import { exchangeKey, publishExchangeJson } from './exchange-staging.ts';
import { exchangeTable } from './exchange-table.ts';

export type UploadWork = 'send-status' | 'return-offers';

export interface UploadedFile {
  what: 'status' | 'offers';
  /** The `requestId` of a status, or the batch of offers. Never logged, because it may contain personal data. */
  name: string;
}

/**
 * The item `upload` of subject `upload#<upload>`: one version of a file in intake. Executions and logs identify it by `upload`, a hash
 * without personal data.
 */
export interface UploadItem extends UploadedFile {
  kind: 'upload';
  at: string;
  upload: string;
  key: string;
  versionId: string;
  state: 'received' | 'rejected' | 'sent' | 'replaced' | 'failed';
  failure?: { error: string; cause: string; next: string };
}

/** Parses an intake key. Returns undefined if the file is neither a status nor offers. */
export function uploadedFile(key: string): UploadedFile | undefined {
  const match = /^legacy\/(status|offers)\/([^/]+)\.json$/s.exec(key);
  if (!match) return undefined;
  const [, what, name] = match as unknown as [string, UploadedFile['what'], string];
  return { what, name: decodedName(name) };
}

export const uploadId = (key: string, versionId: string): string =>
  createHash('sha256').update(`${key}\n${versionId}`).digest('hex').slice(0, 32);

const itemKey = (upload: string) => ({ subject: `upload#${upload}`, item: 'upload' });

export const findUpload = async (upload: string): Promise<UploadItem | undefined> =>
  exchangeTable.getItem<UploadItem>(itemKey(upload));

export const addUpload = (item: UploadItem) =>
  exchangeTable.putItem({ ...itemKey(item.upload), ...item }, 'attribute_not_exists(subject)');

export async function readUpload({ upload, key, versionId }: UploadItem): Promise<Uint8Array> {
  const stored = await readObject({ bucket: stackSettings.intakeBucket, key, versionId });
  if (stored) return stored.bytes;
  throw new InvalidPackage(`Upload ${upload}: the file that was checked is gone from intake. Nothing was sent.`);
}

export const isCurrent = async ({ key, versionId }: Pick<UploadItem, 'key' | 'versionId'>): Promise<boolean> =>
  (await headObject({ bucket: stackSettings.intakeBucket, key }))?.versionId === versionId;

export async function findSent(upload: string, work: UploadWork): Promise<LedgerEntry | undefined> {
  const key = { subject: `upload#${upload}`, item: `operation#${work}` };
  return findEntry({ table: exchangeTable, key });
}

export const uploadSubject = ({ upload }: UploadItem, patience: ExchangePatience): Subject => ({
  name: `Upload ${upload}`,
  table: exchangeTable,
  key: { subject: `upload#${upload}` },
  ...patience,
  addToTimeline: async (what, facts) => {
    const at = new Date().toISOString();
    await exchangeTable.putItem({ subject: `upload#${upload}`, item: `event#${at}`, at, what, ...facts });
  },
  provesNotDone: (_call, status) => NOT_CREATED.includes(status),
  findOut: 'ask the bank exchange whether it has the file. To send the file again, upload it again.',
});

/** Records the result of an upload. Also stages it for the bank, unless the file was replaced. */
export async function endUpload(
  item: UploadItem,
  end: { state: Exclude<UploadItem['state'], 'received'>; failure?: UploadItem['failure']; problems?: Problem[] },
): Promise<void> {
  const { state, failure, problems } = end;
  const at = new Date().toISOString();
  await exchangeTable.updateItem(itemKey(item.upload), { state, failure, at });
  if (state === 'replaced' || !(await isCurrent(item))) return;
  const { what, name, upload, versionId } = item;
  const named = what === 'status' ? { requestId: name } : { batch: name };
  const answer = { ...named, upload, versionId, outcome: state, at, problems, failure };
  await publishExchangeJson(exchangeKey(`${what}/${encodeURIComponent(name)}.json`), answer);
}
