import { hash } from 'node:crypto';

/** The most pages of 1,000 executions that one sweep lists. Step Functions allows 120 a minute (docs/capacity.md). */
export const MOST_PAGES = 60;
/** So the digests of one sweep's pages fit into one item of the table, which may have 400 KB. */
const DIGEST_BYTES = 6;
/** Milliseconds. The token of a page expires after 24 hours. */
const OLDEST = 23 * 3_600_000;

/** A list of the running executions, which takes as many sweeps as it needs. */
export interface RunningList {
  /** Executions that started later may be missing. ISO 8601. */
  since: string;
  /** How many sweeps have stored what they listed. */
  parts: number;
  /** The token of the next page. Absent if the list is complete. */
  next?: string | undefined;
}

/** A complete list. */
export interface Running {
  since: string;
  has(execution: string): boolean;
}

export interface ListAccess {
  /** A page of the running executions. */
  page(token?: string): Promise<{ executions: string[]; next?: string | undefined }>;
  save(part: number, digests: Uint8Array): Promise<unknown>;
  load(part: number): Promise<Uint8Array>;
}

/**
 * Lists more running executions, where the last sweep stopped.
 * @param progress its `list` is changed. None begins a new list.
 * @returns the list if it is complete.
 */
export async function listRunning(
  progress: { list?: RunningList | undefined },
  access: ListAccess,
): Promise<Running | undefined> {
  const { list: before } = progress;
  const isUsable = before && Date.now() - Date.parse(before.since) < OLDEST;
  const list: RunningList = isUsable ? { ...before } : { since: new Date().toISOString(), parts: 0 };
  const digests: number[] = [];
  let isMore = list.parts === 0 || list.next !== undefined;
  for (let pages = 0; isMore && pages < MOST_PAGES; pages += 1) {
    const { executions, next } = await access.page(list.next);
    for (const execution of executions) digests.push(digestOf(execution));
    list.next = next;
    isMore = next !== undefined;
  }
  // The usual case: one sweep lists everything, and the next one lists everything anew.
  const isPart = isMore || list.parts > 0;
  if (isPart && digests.length > 0) await access.save(list.parts++, packed(digests));
  progress.list = isPart ? list : undefined;
  if (isMore) return undefined;
  const known = new Set(digests);
  for (let part = 0; part < list.parts; part += 1)
    for (const digest of unpacked(await access.load(part))) known.add(digest);
  return { since: list.since, has: (execution) => known.has(digestOf(execution)) };
}

const digestOf = (execution: string): number => hash('sha256', execution, 'buffer').readUIntBE(0, DIGEST_BYTES);

function packed(digests: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(digests.length * DIGEST_BYTES);
  for (const [at, digest] of digests.entries()) bytes.writeUIntBE(digest, at * DIGEST_BYTES, DIGEST_BYTES);
  return bytes;
}

function* unpacked(digests: Uint8Array): Generator<number> {
  const bytes = Buffer.from(digests);
  for (let at = 0; at < bytes.length; at += DIGEST_BYTES) yield bytes.readUIntBE(at, DIGEST_BYTES);
}
