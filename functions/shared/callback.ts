import { SendTaskSuccessCommand, SFNClient, TaskDoesNotExist, TaskTimedOut } from '@aws-sdk/client-sfn';
import { clientDefaults } from './aws-client.ts';
import { Superseded } from './errors.ts';
import { logger } from './operator-log.ts';
import { deleteItem, getItem, putItem } from './table.ts';

/** A waiting execution: `callback#<what>` in the order's record, fenced by its execution and round. */
export interface Callback {
  orderRef: string;
  generation: number;
  what: 'signatures' | 'decision';
  round: number;
  taskToken: string;
}

const client = new SFNClient(clientDefaults);

/**
 * Records where the execution waits. The caller looks for what it waits for after this, and whoever brings it looks for
 * the callback after storing it: whichever comes second sees the other, so no wake-up is lost.
 */
export async function saveCallback(callback: Callback): Promise<void> {
  const item = { ...callback, item: `callback#${callback.what}`, since: new Date().toISOString() };
  const saved = await putItem(item, 'attribute_not_exists(orderRef) OR generation <= :generation', {
    ':generation': callback.generation,
  });
  if (!saved)
    throw new Superseded(`Order ${callback.orderRef} waits in a later execution. This one stops; nothing was done.`);
}

export async function findCallback(orderRef: string, what: Callback['what']): Promise<Callback | undefined> {
  return getItem<Callback>({ orderRef, item: `callback#${what}` });
}

/** Ends the wait with `output`. A token that is stale, because the wait was ended before, is a logged no-op. */
export async function wake(callback: Callback, output: unknown): Promise<void> {
  const { orderRef, what, taskToken } = callback;
  try {
    await client.send(new SendTaskSuccessCommand({ taskToken, output: JSON.stringify(output) }));
    logger.info(`The wait for ${what} is over`, { orderRef, generation: callback.generation });
  } catch (error) {
    if (!(error instanceof TaskDoesNotExist || error instanceof TaskTimedOut)) throw error;
    logger.info(`The wait for ${what} was over before`, { orderRef, generation: callback.generation });
  }
  await deleteItem({ orderRef, item: `callback#${what}` }, 'taskToken = :taskToken', { ':taskToken': taskToken });
}
