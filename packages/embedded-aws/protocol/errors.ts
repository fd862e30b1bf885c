import type { JsonObject } from './json.ts';

/** An error answer of a service, with HTTP `status`. A JSON service sends `code` as `__type`. */
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

/** The answer to a request for something that the embedded AWS does not do. */
export const notSupported = (code: string, what: string) =>
  new AwsError(code, `The embedded AWS does not support ${what}.`);

/** The assembly contains something that the embedded AWS does not support. The message names it, and the start fails. */
export class UnsupportedError extends Error {
  override name = 'UnsupportedError';
}
