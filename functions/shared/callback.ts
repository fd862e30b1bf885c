import { createHash } from 'node:crypto';
import { SendTaskSuccessCommand, SFNClient, TaskDoesNotExist, TaskTimedOut } from '@aws-sdk/client-sfn';
import { clientDefaults } from './aws-client.ts';
import { logger } from './operator-log.ts';
import { deleteItem, putItem, queryItems } from './table.ts';

/**
 * A waiting execution: `callback#<what>#<digest of its token>` in the order's record, fenced by its execution and round. Each token has
 * an item of its own: a step that is repeated gets a new one, and its first run may be late.
 */
export interface Callback {
  orderRef: string;
  generation: number;
  what: 'signatures' | 'decision';
  round: number;
  taskToken: string;
}

const client = new SFNClient(clientDefaults);

const keyOf = ({ orderRef, what, taskToken }: Callback) => {
  const digest = createHash('sha256').update(taskToken).digest('hex').slice(0, 16);
  return { orderRef, item: `callback#${what}#${digest}` };
};

/**
 * Records where the execution waits. The caller looks for what it waits for after this, and whoever brings it looks for
 * the callback after storing it: whichever comes second sees the other, so no wake-up is lost.
 */
export async function saveCallback(callback: Callback): Promise<void> {
  await putItem({ ...callback, ...keyOf(callback), since: new Date().toISOString() });
}

export async function findCallbacks(orderRef: string, what: Callback['what']): Promise<Callback[]> {
  return queryItems<Callback>(orderRef, `callback#${what}`);
}

/** Ends the wait with `output`, and nobody finds it any more. */
export async function wake(callback: Callback, output: unknown): Promise<void> {
  await endWait(callback, output);
  await deleteItem(keyOf(callback));
}

/** Ends a wait that was not recorded. A token that is stale, because the wait was ended before, is a logged no-op. */
export async function endWait(callback: Callback, output: unknown): Promise<void> {
  const { orderRef, what, taskToken } = callback;
  try {
    await client.send(new SendTaskSuccessCommand({ taskToken, output: JSON.stringify(output) }));
    logger.info(`The wait for ${what} is over`, { orderRef, generation: callback.generation });
  } catch (error) {
    if (!(error instanceof TaskDoesNotExist || error instanceof TaskTimedOut)) throw error;
    logger.info(`The wait for ${what} was over before`, { orderRef, generation: callback.generation });
  }
}
