import type { LocalAws } from '@business-loan-orders/embedded-aws';
import { replayDeadLetters as replayOrders } from '../../../commands/dead-letters.ts';
import { openDeadLetters } from '../../../commands/stage/dead-letters.ts';

/** Does what `loan-orders dead-letters replay --all` does. Returns the number of events. */
export async function replayDeadLetters({ endpoint }: LocalAws): Promise<number> {
  const { json } = await replayOrders(await openDeadLetters({ stage: 'local', local: true, endpoint }));
  return (json as unknown[]).length;
}
