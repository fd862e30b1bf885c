import { answerKey, MOST_LINES, type RejectedKind, type RejectedLine } from '../../core/people/rejected-line.ts';
import type { Answer } from '../refusal.ts';
import type { Connection } from '../stage/connection.ts';
import { columns, some, time } from '../text.ts';
import type { ListOptions, SortKey } from './list.ts';
import { age } from './order-filter.ts';

const HEADINGS = ['UPLOAD', 'SINCE', 'LAST', 'ANSWER IN STAGING', 'WHY'];
const LONGEST_SHOWN = 80;

const newestFirst = (one: RejectedLine, other: RejectedLine) => other.lastAt.localeCompare(one.lastAt);
const ORDER_BY: Record<SortKey, (one: RejectedLine, other: RejectedLine) => number> = {
  changed: newestFirst,
  age: (one, other) => newestFirst(other, one),
  order: (one, other) => one.key.localeCompare(other.key),
  status: (one, other) => one.kind.localeCompare(other.kind) || newestFirst(one, other),
};

type RejectedOptions = Pick<ListOptions, 'sort' | 'limit' | 'olderThan'>;

/** Packages with problems, and uploads that belong to no order. */
export async function findRejected(
  { rejected }: Pick<Connection, 'rejected'>,
  { sort, limit, olderThan = 0 }: RejectedOptions,
): Promise<{ shown: RejectedLine[]; more: number; notListed: Record<RejectedKind, number> }> {
  const { lines: all, notListed } = await rejected.list();
  const now = Date.now();
  const found = all.filter(({ lastAt }) => age({ changedAt: lastAt }, now) >= olderThan).sort(ORDER_BY[sort]);
  const shown = found.slice(0, limit);
  return { shown, more: found.length - shown.length, notListed };
}

/** `list --rejected`. */
export async function listRejected(connection: Connection, options: RejectedOptions): Promise<Answer> {
  const { shown, more, notListed } = await findRejected(connection, options);
  return {
    lines: [
      ...(shown.length > 0 ? rejectedRows(shown) : ['Nothing was rejected.']),
      ...(more > 0 ? ['', `${some(more, 'more line')}: raise --limit, or narrow the list.`] : []),
      ...unlistedLines(notListed),
    ],
    json: { rejected: shown.map(rejectedSummary), notListed },
  };
}

/** The lines as a table, headings first. */
export function rejectedRows(lines: RejectedLine[]): string[] {
  return columns([HEADINGS, ...lines.map(row)]);
}

export function rejectedSummary(line: RejectedLine) {
  const { kind, key, since, lastAt, why } = line;
  return { kind, key, since, lastAt, why, answer: answerKey(line) };
}

function row(line: RejectedLine): string[] {
  return [shownKey(line.key), time(line.since), time(line.lastAt), visible(answerKey(line)), line.why];
}

function unlistedLines(notListed: Record<RejectedKind, number>): string[] {
  const named = { package: 'rejected package', upload: 'unknown upload' };
  const counts = (Object.keys(named) as RejectedKind[]).flatMap((kind) =>
    notListed[kind] > 0 ? [some(notListed[kind], named[kind])] : [],
  );
  if (counts.length === 0) return [];
  return [
    '',
    `Not listed: ${counts.join(' and ')}. The list keeps ${MOST_LINES} lines of each kind. Staging has all answers (unknown/ and orders/*/rejected.json).`,
  ];
}

/** The key for a terminal, and short. */
export function shownKey(key: string): string {
  const letters = [...visible(key)];
  return letters.length > LONGEST_SHOWN ? `${letters.slice(0, LONGEST_SHOWN).join('')}…` : letters.join('');
}

/** A text with characters that cannot be seen, or turn the direction of the text, percent-encoded. */
export function visible(text: string): string {
  return text.replaceAll(
    /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]|[\p{Default_Ignorable_Code_Point}\u2800]/gu,
    encodeURIComponent,
  );
}
