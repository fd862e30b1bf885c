import type { OrderItem, Repeats } from '../../core/order/order-item.ts';
import { readsOfWork } from '../../core/order/work-size.ts';
import type { Cursor, Known } from '../../core/reading/cursor.ts';
import type { NextStep, Todo } from '../../core/reading/next-step.ts';
import { isToMove } from '../../core/recovery/move.ts';
import { readSettings } from '../../core/settings.ts';

/** The input of a read: the cursor without the wait, which is over. */
export type ReadOrderInput = Omit<Cursor, 'pollAfterSeconds'>;

/** The cursor, and what the state machine routes by. Lists contain positions, because a `fileId` may contain personal data. */
export interface ReadOrderOutput extends Cursor {
  status: string;
  todo: NextStep['todo'] | 'create' | 'continue';
  documents: { orderRef: string; generation: number; position: number }[];
  toConfirm: { orderRef: string; generation: number; position: number }[];
  round: number;
  /** Who signs. */
  signing: 'external' | 'kms';
  /** How long the next wait for people lasts. */
  waitSeconds: number;
}

export type Wait = Pick<Cursor, 'pollAfterSeconds' | 'nextReadAt'>;

/** What the next read must still process. */
export function unprocessed({ known }: ReadOrderInput): Known {
  return known.confirms ? { confirms: known.confirms } : {};
}

export function knownAfter({ decision }: OrderItem, { known }: ReadOrderInput, counted: Repeats | undefined): Known {
  return {
    ...(known.accepted && { accepted: known.accepted }),
    ...(decision && { decision: decision.version }),
    ...(counted && { repeatedSince: counted.since }),
  };
}

/** The repeats before this read, in this execution or in the last one that handed over to it. */
export function repeatsBefore({ repeats, generation }: OrderItem, cursor: ReadOrderInput): Repeats | undefined {
  if (cursor.reads === 0) return repeats?.generation === generation - 1 ? repeats : undefined;
  const since = cursor.known.repeatedSince;
  return cursor.repeats > 0 && since !== undefined ? { reads: cursor.repeats, since } : undefined;
}

/** The output if nothing was read: wait with the recorded status. The next read looks everything up. */
export function waitOutput(record: OrderItem, cursor: ReadOrderInput, wait: Wait): ReadOrderOutput {
  const { orderRef, generation, status, signing } = record;
  const nothing = { round: 0, documents: [], toConfirm: [], signing, waitSeconds: 0 };
  const repeats = repeatsBefore(record, cursor);
  return {
    orderRef,
    generation,
    repeats: repeats?.reads ?? 0,
    status,
    known: { ...unprocessed(cursor), ...(repeats && { repeatedSince: repeats.since }) },
    ...handOver(cursor, 'wait', 0),
    ...wait,
    ...nothing,
  };
}

/** The output if the order was not created yet, because the service asked us to wait. It is created now. */
export function createOutput(record: OrderItem, cursor: ReadOrderInput): ReadOrderOutput {
  const wait = { pollAfterSeconds: 0, nextReadAt: cursor.nextReadAt };
  return { ...waitOutput(record, cursor, wait), ...handOver(cursor, 'create', 0) };
}

/**
 * Whether to hand the order over to another release now. No call is under way at a read. A refused confirm is known to this
 * execution only, so its read comes first, and fails the execution.
 */
export function isToMoveNow(record: OrderItem, { known }: ReadOrderInput): boolean {
  return isToMove(record) && !(known?.confirms ?? []).some(({ refused }) => refused !== null);
}

/** The output that hands the order over without a read: the next generation reads with the newest code and settings. */
export function moveOutput(record: OrderItem, cursor: ReadOrderInput): ReadOrderOutput {
  return { ...waitOutput(record, cursor, { pollAfterSeconds: 0, nextReadAt: cursor.nextReadAt }), todo: 'continue' };
}

/** The items of a Map state. */
export function items({ orderRef, generation }: OrderItem, positions: number[]) {
  return positions.map((position) => ({ orderRef, generation, position }));
}

/**
 * Counts this read and its work. Returns `continue` when the count reaches the stage's `readsPerExecution`, because an
 * execution's history is limited: the next execution then does the work. The first read of an execution may start work of
 * any size.
 * @param items number of documents and offers that the work may be about.
 */
export function handOver(
  cursor: Pick<Cursor, 'reads'>,
  todo: Todo | 'create',
  items: number,
): { reads: number; todo: Todo | 'create' | 'continue' } {
  const reads = cursor.reads + 1 + (todo === 'wait' ? 0 : readsOfWork(items));
  const isFirst = cursor.reads === 0;
  const isFull = reads >= readSettings.readsPerExecution;
  return { reads, todo: isFull && (todo === 'wait' || !isFirst) ? 'continue' : todo };
}
