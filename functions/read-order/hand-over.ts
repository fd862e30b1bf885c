import { environmentNumber } from '../shared/environment.ts';
import type { Cursor } from '../shared/order/cursor.ts';
import { readsOfWork } from '../shared/order/work-size.ts';
import type { Todo } from '../shared/polling/next-step.ts';

/**
 * The execution's reads, what work counts as among them, and `continue` once they come to the stage's `readsPerExecution`: no
 * execution is handed more than its history has room for. The first read of an execution hands out work of any size.
 * @param items documents and offers that the work may be about.
 */
export function handOver(
  cursor: Pick<Cursor, 'reads'>,
  todo: Todo,
  items: number,
): { reads: number; todo: Todo | 'continue' } {
  const reads = cursor.reads + 1 + (todo === 'wait' ? 0 : readsOfWork(items));
  const isFirst = cursor.reads === 0;
  const isFull = reads >= environmentNumber('READS_PER_EXECUTION');
  return { reads, todo: isFull && (todo === 'wait' || !isFirst) ? 'continue' : todo };
}
