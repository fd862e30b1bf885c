import { type Decision, isAllConfirmed, isUnsettled } from '../order/decision-states.ts';
import type { OrderItem, Repeats } from '../order/order-item.ts';
import { READS_PER_EXECUTION, readsOfWork } from '../order/work-size.ts';
import { type Cursor, confirmItems, type Known } from './cursor.ts';

/** The input of a read: the cursor without the wait, which is over. */
export type ReadOrderInput = Omit<Cursor, 'pollAfterSeconds'>;

type Todo = 'act' | 'wait' | 'confirm' | 'create' | 'continue';

/** The cursor, and what the state machine routes by. Lists contain positions, because a `fileId` may contain personal data. */
export interface ReadOrderOutput extends Cursor {
  status: string;
  todo: Todo;
  documents: { orderRef: string; generation: number; position: number }[];
  toConfirm: ReturnType<typeof confirmItems>;
  round: number;
  /** Who signs. */
  signing: 'external' | 'kms';
  /** How long the next wait for people lasts, in seconds. */
  waitSeconds: number;
}

/** How an output differs from that of an execution that waits with the recorded status. */
export interface Next extends Partial<Pick<ReadOrderOutput, 'status' | 'known' | 'repeats' | 'round' | 'waitSeconds'>> {
  todo: Todo;
  pollAfterSeconds: number;
  nextReadAt: string;
  /** Number of documents and offers that the work may be about. */
  work?: number;
  /** Number of documents to upload, or of those to sign. */
  files?: number;
  /** Positions of the choices to confirm. */
  toConfirm?: number[];
}

/** The output of a read. All that the next read must still process stays in the cursor. */
export function outputOf(
  { record, cursor }: { record: OrderItem; cursor: ReadOrderInput },
  { work = 0, todo, files = 0, toConfirm = [], ...next }: Next,
): ReadOrderOutput {
  const { orderRef, generation, status, signing } = record;
  const before = repeatsBefore(record, cursor);
  const { confirms } = cursor.known;
  const items = (positions: Iterable<number>) => [...positions].map((position) => ({ orderRef, generation, position }));
  return {
    orderRef,
    generation,
    repeats: before?.reads ?? 0,
    known: { ...(confirms && { confirms }), ...(before && { repeatedSince: before.since }) },
    status,
    signing,
    round: 0,
    waitSeconds: 0,
    ...next,
    ...handOver(cursor, todo, work),
    documents: items(Array(files).keys()),
    toConfirm: confirmItems(record, toConfirm),
  };
}

/** The repeats before this read, in this execution or in the last one that handed over to it. */
export function repeatsBefore(record: OrderItem, cursor: ReadOrderInput): Repeats | undefined {
  const handedOver = repeatsOfLast(record);
  if (cursor.reads === 0) return handedOver?.status === undefined ? handedOver : undefined;
  const since = cursor.known.repeatedSince;
  return cursor.repeats > 0 && since !== undefined ? { reads: cursor.repeats, since } : undefined;
}

/** The same of reads that had a status that nobody knows. */
export function strangeBefore(record: OrderItem, cursor: ReadOrderInput): Repeats | undefined {
  return cursor.reads === 0 ? repeatsOfLast(record) : cursor.known.strange;
}

const repeatsOfLast = ({ repeats, generation }: OrderItem) =>
  repeats?.generation === generation - 1 ? repeats : undefined;

/** What the next read need not look up, because this one found nothing to do. */
export function knownAfter(
  { record, cursor, decision }: { record: OrderItem; cursor: ReadOrderInput; decision: Decision | undefined },
  counted: Repeats | undefined,
): Known {
  const { accepted } = cursor.known;
  const { version } = record.decision;
  return {
    ...(accepted && { accepted }),
    // An operator may say what came of an unknown confirm, so the ledger is looked up.
    ...(!decision?.choices.some(isUnsettled) && { decision: version }),
    ...(isAllConfirmed(decision) && { confirmed: version }),
    ...(counted && { repeatedSince: counted.since }),
  };
}

/**
 * Counts this read and its work. Returns `continue` when the count reaches `READS_PER_EXECUTION`, because an
 * execution's history is limited: the next execution then does the work. The first read of an execution may start work of
 * any size.
 */
function handOver(cursor: Pick<Cursor, 'reads'>, todo: Todo, work: number): { reads: number; todo: Todo } {
  const reads = cursor.reads + 1 + (todo === 'wait' || todo === 'continue' ? 0 : readsOfWork(work));
  const isFirst = cursor.reads === 0;
  const isFull = reads >= READS_PER_EXECUTION;
  return { reads, todo: isFull && (todo === 'wait' || !isFirst) ? 'continue' : todo };
}
