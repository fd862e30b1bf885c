import { AwsError } from '../protocol/errors.ts';

/** Lambda's own limits (AWS Lambda quotas). Bytes. */
const LARGEST_SYNCHRONOUS_PAYLOAD = 6 * 1024 * 1024;
const LARGEST_ASYNCHRONOUS_PAYLOAD = 1024 * 1024;
const LARGEST_ENVIRONMENT = 4 * 1024;

/** Throws an AwsError (RequestTooLargeException) for an event that Lambda does not take. */
export function checkEventSize(payload: string, type: 'synchronous' | 'asynchronous'): void {
  const largest = type === 'synchronous' ? LARGEST_SYNCHRONOUS_PAYLOAD : LARGEST_ASYNCHRONOUS_PAYLOAD;
  const size = Buffer.byteLength(payload);
  if (size <= largest) return;
  throw new AwsError(
    'RequestTooLargeException',
    `${size} byte payload is too large for the Event invocation type (limit ${largest} bytes)`,
    413,
  );
}

/** What Lambda answers in place of a function's result that is too large; undefined for one that is not. */
export function tooLargeResult(payload: string): { errorType: string; errorMessage: string } | undefined {
  const size = Buffer.byteLength(payload);
  if (size <= LARGEST_SYNCHRONOUS_PAYLOAD) return undefined;
  const errorMessage = `Response payload size exceeded maximum allowed payload size (${LARGEST_SYNCHRONOUS_PAYLOAD} bytes).`;
  return { errorType: 'Function.ResponseSizeTooLarge', errorMessage };
}

/** How many bytes the variables take above what Lambda lets a function have; 0 when they fit. */
export function environmentExcess(variables: Record<string, unknown>): number {
  const texts = Object.entries(variables).flatMap(([name, value]) => [name, String(value)]);
  const size = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return Math.max(0, size - LARGEST_ENVIRONMENT);
}
