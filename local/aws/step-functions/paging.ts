import { AwsError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/json.ts';
import { optionalNumber, optionalString } from '../protocol/json-service.ts';

/** Cuts a list by `maxResults` (100 when it is 0 or absent) and `nextToken`, which is where the next page begins. */
export function page(member: string, items: readonly object[], input: JsonObject): object {
  const start = Number(optionalString(input, 'nextToken') ?? 0);
  if (!Number.isInteger(start)) throw new AwsError('InvalidToken', "Invalid Token: 'Invalid token'");
  const end = start + (optionalNumber(input, 'maxResults') || 100);
  return { [member]: items.slice(start, end), ...(end < items.length ? { nextToken: String(end) } : {}) };
}
