import { createHash } from 'node:crypto';
import { headObject, readObject } from '../aws/storage.ts';
import { environment } from '../environment.ts';
import { InvalidPackage } from '../errors.ts';
import type { Problem } from '../json/json-problems.ts';
import { findEntry, type LedgerEntry } from '../ledger/entry.ts';
import type { Subject } from '../ledger/perform-operation.ts';
import type { ExchangePatience } from './exchange-service.ts';
import { exchangeKey, stageExchangeJson } from './exchange-staging.ts';
import { exchangeTable } from './exchange-table.ts';

export type UploadWork = 'send-status' | 'return-offers';

/** A file of the bank in intake, by its key. */
export interface UploadedFile {
  what: 'status' | 'offers';
  /** The `requestId` of a status, the batch of offers. It may say anything about anybody, and is never logged. */
  name: string;
}

/**
 * The item `upload` of subject `upload#<upload>`: one version of one file in intake. `upload` stands for it in executions and
 * logs, and says nothing.
 */
export interface UploadItem extends UploadedFile {
  kind: 'upload';
  at: string;
  upload: string;
  key: string;
  versionId: string;
  state: 'received' | 'rejected' | 'sent' | 'replaced' | 'failed';
  failure?: UploadFailure;
}

export interface UploadFailure {
  error: string;
  cause: string;
  /** What to do about it. */
  next: string;
}

/** What the key stands for; undefined when it is neither a status nor offers. */
export function uploadedFile(key: string): UploadedFile | undefined {
  const match = /^legacy\/(status|offers)\/([^/]+)\.json$/s.exec(key);
  if (!match) return undefined;
  const [, what, name] = match as unknown as [string, UploadedFile['what'], string];
  return { what, name: decode(name) };
}

export function uploadId(key: string, versionId: string): string {
  return createHash('sha256').update(`${key}\n${versionId}`).digest('hex').slice(0, 32);
}

const itemKey = (upload: string) => ({ subject: `upload#${upload}`, item: 'upload' });

export async function findUpload(upload: string): Promise<UploadItem | undefined> {
  return exchangeTable.getItem<UploadItem>(itemKey(upload));
}

/**
 * The upload that an execution is for.
 * @throws InvalidPackage when there is none of that kind.
 */
export async function loadUpload(upload: string, what: UploadedFile['what']): Promise<UploadItem> {
  const item = await findUpload(upload);
  if (item?.what === what) return item;
  throw new InvalidPackage(`Upload ${upload} is not recorded as ${what}. Nothing was sent.`);
}

/** Records an upload as it was received; one that is recorded already stays as it is. */
export async function addUpload(item: UploadItem): Promise<void> {
  await exchangeTable.putItem({ ...itemKey(item.upload), ...item }, 'attribute_not_exists(subject)');
}

/** The very version of the file. */
export async function readUpload({ upload, key, versionId }: UploadItem): Promise<Uint8Array> {
  const stored = await readObject({ bucket: environment('INTAKE_BUCKET'), key, versionId });
  if (stored) return stored.bytes;
  throw new InvalidPackage(
    `Upload ${upload}: the version of the file that was checked is gone from intake. Nothing was sent.`,
  );
}

/** Whether the file is still what intake has under its name: the latest upload counts, and one that was deleted does not. */
export async function isCurrent({ key, versionId }: Pick<UploadItem, 'key' | 'versionId'>): Promise<boolean> {
  return (await headObject({ bucket: environment('INTAKE_BUCKET'), key }))?.versionId === versionId;
}

/** What the ledger has of the upload. */
export async function findSent(upload: string, work: UploadWork): Promise<LedgerEntry | undefined> {
  const key = { subject: `upload#${upload}`, item: `operation#${work}` };
  return findEntry({ table: exchangeTable, key });
}

/** An upload as the ledger knows it. */
export function uploadSubject({ upload }: UploadItem, patience: ExchangePatience): Subject {
  return {
    name: `Upload ${upload}`,
    table: exchangeTable,
    key: { subject: `upload#${upload}` },
    withPatience: (call) => patience.withPatience(call),
    refuseWhileThrottled: () => patience.refuseWhileThrottled(),
    addEvent: async (what, facts) => {
      const at = new Date().toISOString();
      await exchangeTable.putItem({ subject: `upload#${upload}`, item: `event#${at}`, at, what, ...facts });
    },
    findOut: 'ask the bank exchange whether it has it. To send it once more, upload the file again.',
  };
}

/** What came of an upload: in its record, and in staging for the bank, unless a newer upload has taken its place there. */
export async function endUpload(
  item: UploadItem,
  end: { state: Exclude<UploadItem['state'], 'received'>; failure?: UploadFailure; problems?: Problem[] },
): Promise<void> {
  const { state, failure, problems } = end;
  const at = new Date().toISOString();
  await exchangeTable.updateItem(itemKey(item.upload), { state, failure, at });
  if (state === 'replaced' || !(await isCurrent(item))) return;
  const { what, name, upload, versionId } = item;
  const named = what === 'status' ? { requestId: name } : { batch: name };
  const answer = {
    ...named,
    upload,
    versionId,
    outcome: state,
    at,
    ...(problems && { problems }),
    ...(failure && { failure }),
  };
  await stageExchangeJson(exchangeKey(`${what}/${encodeURIComponent(name)}.json`), answer);
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    // A name with a bare percent sign was never encoded: it is the name itself.
    return name;
  }
}
