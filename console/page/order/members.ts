import { messages } from '../messages/language.ts';
import { number } from '../parts/format.ts';

/** The name of a member in words. The specification names few, so most stand as the bank has them. */
export function memberName(path: string): string {
  return messages.value.offers.members[path] ?? path;
}

/** A value by the language's rules. Only what the bank sent as a number is one. */
export function memberValue([, value]: [string, unknown]): string {
  if (value === undefined || value === null || value === '') return '–';
  if (typeof value === 'number') return number(value);
  if (typeof value === 'boolean') return value ? messages.value.yes : messages.value.no;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
