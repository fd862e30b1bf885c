import type { JsonObject } from './json.ts';

/** An error answer of a JSON service: `code` goes out as `__type`, with HTTP `status`. */
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

/** Something in the assembly that the embedded AWS cannot play. It ends the start, and the message names it. */
export class UnsupportedError extends Error {
  override name = 'UnsupportedError';
}
