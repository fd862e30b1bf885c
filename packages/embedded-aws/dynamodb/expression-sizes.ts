import { AwsError } from '../protocol/errors.ts';
import { isJsonObject, type JsonObject } from '../protocol/json.ts';

/** Bytes of the expression as it is sent, with its placeholders. */
const LARGEST_EXPRESSION = 4_096;

/** Checks the size of all expressions of a request. Throws an AwsError (ValidationException). */
export function checkExpressionSizes(input: JsonObject): void {
  for (const request of [input, ...Object.values(input.RequestItems ?? {})].filter(isJsonObject)) {
    for (const [name, expression] of Object.entries(request)) {
      if (!name.endsWith('Expression') || Buffer.byteLength(String(expression)) <= LARGEST_EXPRESSION) continue;
      throw new AwsError(
        'ValidationException',
        `Invalid ${name}: Expression size has exceeded the maximum allowed size;`,
      );
    }
  }
}
