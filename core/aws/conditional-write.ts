import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';

/** Whether a write was done. It is not if its condition is false. Other errors are thrown. */
export async function isDone(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
