export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value if it is an object, otherwise an empty one. */
export const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

/** An error of a service, with its HTTP `status`. JSON services send `code` as `__type`. */
export class AwsError extends Error {
  readonly code: string;
  readonly status: number;
  readonly fields: JsonObject;

  constructor(code: string, message: string, status = 400, fields: JsonObject = {}) {
    super(message);
    this.name = code;
    this.code = code;
    this.status = status;
    this.fields = fields;
  }
}

/** What was looked up. Throws an AwsError if there is none. */
export function existing<Found>(found: Found | undefined, code: string, message: string, status?: number): Found {
  if (found !== undefined) return found;
  throw new AwsError(code, message, status);
}

export const notSupported = (code: string, what: string) =>
  new AwsError(code, `The embedded AWS does not support ${what}.`);

/** Thrown when the assembly uses a feature that the embedded AWS does not support. The message names it. */
export class UnsupportedError extends Error {
  override name = 'UnsupportedError';
}

/** Handles an operation: takes the request's properties and the caller's access key. Returns the answer's properties or throws an AwsError. */
export type OperationHandler = (input: JsonObject, accessKeyId: string) => unknown;
export type Operations = Record<string, OperationHandler>;

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
