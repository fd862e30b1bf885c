import { hash } from 'node:crypto';

/** The most pages of 1,000 executions that one sweep lists. Step Functions allows 120 a minute (docs/capacity.md). */
const MOST_PAGES = 60;
/** So what one sweep lists fits into an item of the table: 400 KB. */
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

export type Running = Pick<RunningList, 'since'> & { has(execution: string): boolean };

export interface ListAccess {
  page(token?: string): Promise<{ executions: string[]; next?: string | undefined }>;
  save(part: number, digests: Uint8Array): Promise<unknown>;
  load(part: number): Promise<Uint8Array | undefined>;
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
  const known = new Set<string>();
  let isMore = list.parts === 0 || list.next !== undefined;
  for (let pages = 0; isMore && pages < MOST_PAGES; pages += 1) {
    const { executions, next } = await access.page(list.next);
    for (const execution of executions) known.add(digestOf(execution));
    list.next = next;
    isMore = next !== undefined;
  }
  // The usual case: one sweep lists everything, and the next one lists everything anew.
  const isPart = isMore || list.parts > 0;
  if (isPart && known.size > 0) await access.save(list.parts++, Buffer.from([...known].join(''), 'latin1'));
  progress.list = isPart ? list : undefined;
  if (isMore) return undefined;
  for (let part = 0; part < list.parts; part += 1) {
    const digests = Buffer.from((await access.load(part)) ?? []).toString('latin1');
    for (let at = 0; at < digests.length; at += DIGEST_BYTES) known.add(digests.slice(at, at + DIGEST_BYTES));
  }
  return { since: list.since, has: (execution) => known.has(digestOf(execution)) };
}

const digestOf = (execution: string): string => hash('sha256', execution, 'binary').slice(0, DIGEST_BYTES);
