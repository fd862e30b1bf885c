import { deleteItem, putItem, queryItems } from '../aws/order-table.ts';
import {
  COUNT_ITEM,
  KINDS,
  MOST_LINES,
  REJECTED,
  type RejectedCount,
  type RejectedKind,
  type RejectedLine,
} from '../people/rejected-line.ts';
import { retentionSettings } from '../settings.ts';

const MILLISECONDS_PER_DAY = 86_400_000;
/** The lines that a full list loses, to make room for newer ones. */
const ROOM = 50;

/**
 * Takes lines off the list of rejected uploads: those that are as old as the files of an order may become, and the oldest ones of a
 * full list, so that operators see what was rejected lately. Then counts the lines again, because other functions remove some, too.
 */
export async function tidyRejected(): Promise<void> {
  const items = await queryItems<RejectedLine | RejectedCount>(REJECTED);
  const known = items.find((item): item is RejectedCount => item.item === COUNT_ITEM);
  if (!known) return;
  const lines = items.filter((item): item is RejectedLine => item.item !== COUNT_ITEM);
  const due = dueTime();
  const counted: RejectedCount = { orderRef: REJECTED, item: COUNT_ITEM };
  // Of a count whose last upload is that old nobody wants to know.
  const isCounting = known.moreAt !== undefined && known.moreAt > due;
  if (isCounting) counted.moreAt = known.moreAt as string;
  for (const kind of KINDS) {
    const { stay, old, oldest } = divided(lines, kind, due);
    for (const { orderRef, item, lastAt } of [...old, ...oldest])
      await deleteItem({ orderRef, item }, 'lastAt = :lastAt', { ':lastAt': lastAt });
    counted[kind] = stay.length;
    const more = ((isCounting && known[`more-${kind}`]) || 0) + oldest.length;
    if (more > 0) counted[`more-${kind}`] = more;
    const last = oldest.at(-1)?.lastAt;
    if (last !== undefined) counted.moreAt ??= last;
  }
  await recount(known, counted);
}

/** The lines of a kind, oldest first: which stay, which are too old, and which make room for others. */
function divided(lines: RejectedLine[], kind: RejectedKind, due: string) {
  const [young, old]: [RejectedLine[], RejectedLine[]] = [[], []];
  for (const line of lines.filter((one) => one.kind === kind)) (line.lastAt > due ? young : old).push(line);
  young.sort((one, other) => one.lastAt.localeCompare(other.lastAt));
  const many = young.length < MOST_LINES ? 0 : young.length - MOST_LINES + ROOM;
  return { stay: young.slice(many), old, oldest: young.slice(0, many) };
}

/** Uploads from this time and before are old. A stage that keeps its files for ever has none. */
function dueTime(): string {
  const days = retentionSettings.documentsDays;
  return days === undefined ? '' : new Date(Date.now() - Number(days) * MILLISECONDS_PER_DAY).toISOString();
}

/** Records the count, unless uploads were rejected meanwhile: then the next sweep does. */
async function recount(known: RejectedCount, counted: RejectedCount): Promise<void> {
  const names = [...KINDS, ...KINDS.map((kind) => `more-${kind}` as const), 'moreAt' as const];
  if (names.every((name) => known[name] === counted[name])) return;
  const conditions = names.map((name, at) =>
    known[name] === undefined ? `attribute_not_exists(#n${at})` : `#n${at} = :n${at}`,
  );
  const values = names.flatMap((name, at) => (known[name] === undefined ? [] : [[`:n${at}`, known[name]]]));
  const placeholders = names.map((name, at) => [`#n${at}`, name]);
  await putItem({ ...counted }, conditions.join(' AND '), Object.fromEntries(values), Object.fromEntries(placeholders));
}
