import { SendTaskSuccessCommand, SFNClient, TaskDoesNotExist, TaskTimedOut } from '@aws-sdk/client-sfn';
import { clientDefaults } from '../aws/aws-client.ts';
import { logger } from '../log.ts';
import { type Callback, removeCallback } from './waits.ts';

const client = new SFNClient(clientDefaults);

export async function wake(callback: Callback, output: unknown): Promise<void> {
  await endWait(callback, output);
  await removeCallback(callback);
}

/** Ends the wait with `output`. If the wait has ended before, only logs that. */
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
