import { AwsError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/json.ts';
import { optionalNumber, optionalString } from '../protocol/json-service.ts';

const DEFAULT_PAGE_SIZE = 100;
const LARGEST_PAGE = 1_000;

/** One page of a list, by `maxResults` and `nextToken`. The token is the position where the next page starts. */
export function page(member: string, items: readonly object[], input: JsonObject): object {
  const start = Number(optionalString(input, 'nextToken') ?? 0);
  if (!Number.isInteger(start)) throw new AwsError('InvalidToken', "Invalid Token: 'Invalid token'");
  const size = optionalNumber(input, 'maxResults') || DEFAULT_PAGE_SIZE;
  if (size > LARGEST_PAGE) throw new AwsError('ValidationException', `maxResults is at most ${LARGEST_PAGE}.`);
  const end = start + size;
  return { [member]: items.slice(start, end), ...(end < items.length ? { nextToken: String(end) } : {}) };
}
