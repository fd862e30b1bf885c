import type { OrderItem, Repeats } from '../order/order-item.ts';
import { READS_PER_EXECUTION, readsOfWork } from '../order/work-size.ts';
import { type Cursor, confirmItems } from './cursor.ts';

/** The input of a read: the cursor without the wait, which is over. */
export type ReadOrderInput = Omit<Cursor, 'pollAfterSeconds'>;

/** The cursor, and what the state machine routes by. Lists contain positions, because a `fileId` may contain personal data. */
export interface ReadOrderOutput extends Cursor {
  status: string;
  todo: 'act' | 'wait' | 'confirm' | 'create' | 'continue';
  documents: { orderRef: string; generation: number; position: number }[];
  toConfirm: ReturnType<typeof confirmItems>;
  round: number;
  signing: 'external' | 'kms';
  /** How long the next wait for people lasts, in seconds. */
  waitSeconds: number;
}

/** What the execution does next. Absent members are unchanged. */
export interface Next extends Partial<Omit<ReadOrderOutput, 'documents' | 'repeats' | 'toConfirm' | 'todo'>> {
  todo: ReadOrderOutput['todo'];
  /** Reads in a row of a status that was already handled. */
  counted?: Repeats | undefined;
  /** Number of documents and offers that may need work. */
  work?: number;
  /** Number of documents to upload, or of those to sign. */
  files?: number;
  /** Positions of the choices to confirm. */
  toConfirm?: number[];
}

export interface Before {
  /** Reads in a row of a status that was already handled. */
  repeats?: Repeats | undefined;
  /** Reads in a row with the same status, which nobody knows. */
  strange?: Repeats | undefined;
  /** Reads in a row with an unusable answer. */
  unusable?: Repeats | undefined;
  waitedForPeople: boolean;
}

/** The first read of an execution continues with the counts that the last execution handed over. */
export function beforeRead(
  { repeats: last, generation }: OrderItem,
  { reads, repeats, known }: ReadOrderInput,
): Before {
  const { unusable, waitedForPeople = false, strange, repeatedSince: since } = known;
  const own = { strange, repeats: repeats > 0 && since !== undefined ? { reads: repeats, since } : undefined };
  const handedOver = last?.generation === generation - 1 ? last : undefined;
  const passedOn = handedOver?.status === undefined ? { repeats: handedOver } : { strange: handedOver };
  return { ...(reads > 0 ? own : passedOn), unusable, waitedForPeople };
}

/**
 * The output of a read. All that the next read must still process stays in the cursor. An execution's history is limited: when it is
 * full, the next execution does the work. The first read of an execution may start work of any size.
 */
export function outputOf(
  { record, cursor }: { record: OrderItem; cursor: ReadOrderInput },
  isRead: boolean,
  { todo, counted, known, work = 0, files = 0, toConfirm = [], ...next }: Next,
): ReadOrderOutput {
  const { orderRef, generation, status, signing } = record;
  const { accepted, confirms } = cursor.known;
  // A read has looked up the confirms, and work may change what is known.
  const kept = isRead ? todo === 'wait' && accepted && { accepted } : confirms && { confirms };
  const reads = cursor.reads + 1 + (todo === 'wait' || todo === 'continue' ? 0 : readsOfWork(work));
  const isFull = reads >= READS_PER_EXECUTION && (todo === 'wait' || cursor.reads > 0);
  return {
    orderRef,
    generation,
    status,
    signing,
    pollAfterSeconds: 0,
    nextReadAt: cursor.nextReadAt,
    round: 0,
    waitSeconds: 0,
    ...next,
    reads,
    todo: isFull ? 'continue' : todo,
    repeats: counted?.reads ?? 0,
    known: { ...kept, ...known, ...(counted && { repeatedSince: counted.since }) },
    documents: Array.from({ length: files }, (_, position) => ({ orderRef, generation, position })),
    toConfirm: confirmItems(record, toConfirm),
  };
}
