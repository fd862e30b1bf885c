import type { StoredEntry } from '../ledger/entry.ts';

/** What an operator reports about an operation of unknown outcome: the only attribute of the ledger that operators may write. */
export type OperatorsWord = Pick<StoredEntry, 'state' | 'attempts'> & { outcome?: object | undefined; at: string };

/** `resolvedAt`: the previous release recorded the report as the outcome itself. */
type Told = StoredEntry & { said?: OperatorsWord; resolvedAt?: string };

const ASKED = /^operation#(create$|confirm#|upload-)/;

/** The entry with the operator's report applied. The report is valid until the next attempt, and never overrides what functions know. */
export function withReport<Entry extends StoredEntry>(entry: Entry): Entry {
  const { said, ...known }: Told = entry;
  const isUnknown = known.state === 'open' || known.resolvedAt !== undefined;
  const isSaid = said?.state === 'none' || (said?.state === 'done' && said.outcome);
  if (!isUnknown || !isSaid || !ASKED.test(known.item) || said.attempts !== known.attempts)
    return known as Told & Entry;
  const { failure: _last, outcome: _before, ...rest } = known;
  const { state, outcome, at } = said;
  return { ...rest, state, ...(outcome && { outcome }), endedAt: at, resolvedAt: at } as Told & Entry;
}
