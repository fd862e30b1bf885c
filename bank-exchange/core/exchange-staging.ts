import { fittingKey } from '../../core/aws/object-key.ts';
import { writeObject } from '../../core/aws/storage.ts';
import { stackSettings } from '../../core/settings.ts';

/**
 * The key of an object of the exchange, in staging and in intake. A page's name may contain the name of a file, so a long one is shortened.
 */
export const exchangeKey = (name: string): string => fittingKey(`legacy/${name}`);

/** The key of a staged request. A `requestId` may contain any character, so it is percent-encoded. */
export const requestKey = (requestId: string): string => exchangeKey(`requests/${encodeURIComponent(requestId)}.json`);

export async function stageExchangeText(key: string, text: string): Promise<void> {
  await writeObject(stackSettings.stagingBucket, key, text);
}

export async function stageExchangeJson(key: string, value: unknown): Promise<void> {
  await stageExchangeText(key, `${JSON.stringify(value, undefined, 2)}\n`);
}
