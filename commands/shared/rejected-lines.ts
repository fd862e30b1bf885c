import type { StageConnection } from './connection.ts';
import { age, type OrderFilter } from './order-filter.ts';
import type { RejectedLine } from './rejected-uploads.ts';
import { type CommandResult, columns, plain, some, time } from './text.ts';

const HEADINGS = ['UPLOAD', 'SINCE', 'LAST', 'ANSWER IN STAGING'];
const LONGEST_SHOWN = 80;

export type SortKey = 'changed' | 'age' | 'order' | 'status';

const newestFirst = (one: RejectedLine, other: RejectedLine) => other.lastAt.localeCompare(one.lastAt);
const ORDER_BY: Record<SortKey, (one: RejectedLine, other: RejectedLine) => number> = {
  changed: newestFirst,
  age: (one, other) => newestFirst(other, one),
  order: (one, other) => one.key.localeCompare(other.key),
  status: (one, other) => one.kind.localeCompare(other.kind) || newestFirst(one, other),
};

export interface RejectedOptions extends Pick<OrderFilter, 'olderThan'> {
  sort: SortKey;
  limit?: number;
}

export async function findRejected(
  { rejected }: Pick<StageConnection, 'rejected'>,
  { sort, limit, olderThan = 0 }: RejectedOptions,
): Promise<{ shown: RejectedLine[]; more: number; older: number }> {
  const { lines: all, older } = await (await rejected()).list();
  const now = Date.now();
  const found = all.filter(({ lastAt }) => age({ changedAt: lastAt }, now) >= olderThan).sort(ORDER_BY[sort]);
  const shown = found.slice(0, limit);
  return { shown, more: found.length - shown.length, older };
}

export async function listRejected(connection: StageConnection, options: RejectedOptions): Promise<CommandResult> {
  const { shown, more, older } = await findRejected(connection, options);
  return {
    lines: [
      ...(shown.length > 0 ? rejectedRows(shown) : ['Nothing was rejected.']),
      ...(more > 0 ? ['', `${some(more, 'more line')}: raise --limit, or narrow the list.`] : []),
      ...(older > 0
        ? ['', `${some(older, 'older upload')}: their answers are in the staging bucket under rejected/.`]
        : []),
    ],
    json: { rejected: shown, older },
  };
}

/** The lines as a table, headings first. Below each line is every problem, and how to fix it. */
export function rejectedRows(lines: RejectedLine[]): string[] {
  const [headings = '', ...rows] = columns([HEADINGS, ...lines.map(row)]);
  const why = (at: number) => (lines[at]?.why ?? []).map((problem) => `  ${plain(problem)}`);
  return [headings, ...rows.flatMap((line, at) => [line, ...why(at)])];
}

function row({ key, since, lastAt, answer }: RejectedLine): string[] {
  return [shownKey(key), time(since), time(lastAt), visible(answer)];
}

export function shownKey(key: string): string {
  const letters = [...visible(key)];
  return letters.length > LONGEST_SHOWN ? `${letters.slice(0, LONGEST_SHOWN).join('')}…` : letters.join('');
}

/** A text with percent-encoded invisible characters and direction marks. */
export function visible(text: string): string {
  return text.replaceAll(
    /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]|[\p{Default_Ignorable_Code_Point}\u2800]/gu,
    encodeURIComponent,
  );
}
