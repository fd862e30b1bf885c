import { AwsError, type JsonObject, objectOf, optionalNumber } from '../protocol/operation.ts';
import type { Queue } from './queue.ts';

/** SQS's limit for a message with its attributes. Bytes. */
const LARGEST_MESSAGE = 1_048_576;

const RANGES = {
  MaxNumberOfMessages: [1, 10],
  VisibilityTimeout: [0, 43_200],
  WaitTimeSeconds: [0, 20],
  DelaySeconds: [0, 900],
} as const;

const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
const ALLOWED = '#x9 | #xA | #xD | [#x20-#xD7FF] | [#xE000-#xFFFD] | [#x10000-#x10FFFF]';

/** An optional number in a request. Throws an AwsError (InvalidParameterValue) if it is out of range. */
export function numberIn(input: JsonObject, name: keyof typeof RANGES): number | undefined {
  const value = optionalNumber(input, name);
  const [least, most] = RANGES[name];
  if (value === undefined || (value >= least && value <= most)) return value;
  const reason = `Must be between ${least} and ${most}, if provided.`;
  throw new AwsError('InvalidParameterValue', `Value ${value} for parameter ${name} is invalid. Reason: ${reason}`);
}

export function checkMessage(message: JsonObject): void {
  for (const text of textsOf(message)) {
    const found = FORBIDDEN.exec(text)?.[0].codePointAt(0);
    if (found === undefined) continue;
    const which = `Invalid binary character '#x${found.toString(16)}' was found in the message`;
    throw new AwsError('InvalidMessageContents', `${which}, the set of allowed characters is ${ALLOWED}.`);
  }
  const size = textsOf(message).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (size <= LARGEST_MESSAGE) return;
  const reason = `Message must be shorter than ${LARGEST_MESSAGE} bytes.`;
  throw new AwsError('InvalidParameterValue', `One or more parameters are invalid. Reason: ${reason}`);
}

export function checkHandle(queue: Queue, handle: string): void {
  if (queue.hasIssued(handle)) return;
  throw new AwsError('ReceiptHandleIsInvalid', `The input receipt handle "${handle}" is not a valid receipt handle.`);
}

/** The body, and the names, types and values of the attributes. */
function textsOf({ MessageBody: body, MessageAttributes: attributes }: JsonObject): string[] {
  const named = Object.entries(objectOf(attributes));
  const ofAttributes = named.flatMap(([name, attribute]) => [name, ...Object.values(objectOf(attribute))]);
  return [body, ...ofAttributes].filter((text) => typeof text === 'string');
}
