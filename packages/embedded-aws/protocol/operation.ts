import { AwsError } from './errors.ts';
import type { JsonObject } from './json.ts';

/** An operation: takes the request's members and the access key of the caller, and returns the answer's members or throws an AwsError. */
export type OperationHandler = (input: JsonObject, accessKeyId: string) => unknown;
export type Operations = Record<string, OperationHandler>;

/** A string property of a request. Throws a ValidationException if it is missing. */
export function requiredString(input: JsonObject, name: string): string {
  const value = input[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new AwsError('ValidationException', `${name} is missing or not a string.`);
}

export const optionalString = (input: JsonObject, name: string) => optional<string>(input, name, 'string');
export const optionalNumber = (input: JsonObject, name: string) => optional<number>(input, name, 'number');

function optional<Value>(input: JsonObject, name: string, type: 'string' | 'number'): Value | undefined {
  const value = input[name] ?? undefined;
  if (value === undefined || typeof value === type) return value as Value | undefined;
  throw new AwsError('ValidationException', `${name} is not a ${type}.`);
}
