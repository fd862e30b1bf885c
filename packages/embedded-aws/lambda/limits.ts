import { AwsError } from '../protocol/operation.ts';

/** Lambda's quotas. Bytes. */
const LARGEST_SYNCHRONOUS_PAYLOAD = 6 * 1024 * 1024;
const LARGEST_ASYNCHRONOUS_PAYLOAD = 1024 * 1024;

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

/** Lambda's error for a result that is too large, or undefined if the size is allowed. */
export function tooLargeResult(payload: string): { errorType: string; errorMessage: string } | undefined {
  const size = Buffer.byteLength(payload);
  if (size <= LARGEST_SYNCHRONOUS_PAYLOAD) return undefined;
  const errorMessage = `Response payload size exceeded maximum allowed payload size (${LARGEST_SYNCHRONOUS_PAYLOAD} bytes).`;
  return { errorType: 'Function.ResponseSizeTooLarge', errorMessage };
}
