import type { InvokeWrapper, Json } from '@business-loan-orders/embedded-aws';
import { READS_PER_EXECUTION } from '../../core/order/work-size.ts';

/** The event of a read in an execution that must hand over after this many reads: it says that the others were made before. */
export function withReadsBefore(event: Json, handOverAfter: number): Json {
  const { reads = 0 } = event as { reads?: number };
  const before = READS_PER_EXECUTION - handOverAfter;
  return reads === 0 || reads >= before ? event : { ...(event as object), reads: reads + before };
}

export const handingOverAfter =
  (reads: number): InvokeWrapper =>
  (functionName, event, invoke) =>
    invoke(functionName.endsWith('-read-order') ? withReadsBefore(event, reads) : event);
