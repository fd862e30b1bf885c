import { writeObject } from '../aws/storage.ts';
import { environment } from '../environment.ts';

/** Where the bank finds things in staging, and puts them in intake: all below one prefix. */
export function exchangeKey(name: string): string {
  return `legacy/${name}`;
}

/** A `requestId` is the service's to choose: percent-encoded, it is one name in one folder. */
export function requestKey(requestId: string): string {
  return exchangeKey(`requests/${encodeURIComponent(requestId)}.json`);
}

/** Stages a text as it stands; answers its version. */
export async function stageExchangeText(key: string, text: string, contentType?: string): Promise<string> {
  return writeObject(environment('STAGING_BUCKET'), key, text, contentType);
}

export async function stageExchangeJson(key: string, value: unknown): Promise<string> {
  return stageExchangeText(key, `${JSON.stringify(value, undefined, 2)}\n`);
}
