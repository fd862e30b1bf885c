import { readsOfWork } from '../../core/order/work-size.ts';
import type { Cursor } from '../../core/reading/cursor.ts';
import type { Todo } from '../../core/reading/next-step.ts';
import { readSettings } from '../../core/settings.ts';

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
