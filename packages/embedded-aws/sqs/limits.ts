import { AwsError, isJsonObject, type JsonObject, optionalNumber } from '../protocol/operation.ts';
import type { Queue } from './queue.ts';

/** Bytes of a message with its attributes, and of all messages of a batch together. */
const LARGEST_MESSAGE = 1_048_576;

/** The least and the largest value of each number in a request. */
const RANGES = {
  MaxNumberOfMessages: [1, 10],
  VisibilityTimeout: [0, 43_200],
  WaitTimeSeconds: [0, 20],
  DelaySeconds: [0, 900],
} as const;

const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
const ALLOWED = '#x9 | #xA | #xD | [#x20-#xD7FF] | [#xE000-#xFFFD] | [#x10000-#x10FFFF]';

/** A number of a request, if it is given. Throws an AwsError (InvalidParameterValue). */
export function numberIn(input: JsonObject, name: keyof typeof RANGES): number | undefined {
  const value = optionalNumber(input, name);
  const [least, most] = RANGES[name];
  if (value === undefined || (value >= least && value <= most)) return value;
  throw invalidValue(String(value), name, `Must be between ${least} and ${most}, if provided.`);
}

/** Throws an AwsError if SQS accepts no message with this content. */
export function checkMessage(message: JsonObject): void {
  for (const text of textsOf(message)) {
    const found = FORBIDDEN.exec(text)?.[0].codePointAt(0);
    if (found === undefined) continue;
    const which = `Invalid binary character '#x${found.toString(16)}' was found in the message`;
    throw new AwsError('InvalidMessageContents', `${which}, the set of allowed characters is ${ALLOWED}.`);
  }
  if (sizeOf(message) <= LARGEST_MESSAGE) return;
  const reason = `Message must be shorter than ${LARGEST_MESSAGE} bytes.`;
  throw new AwsError('InvalidParameterValue', `One or more parameters are invalid. Reason: ${reason}`);
}

/** Throws an AwsError if the messages of a batch are too large together. */
function checkBatchSize(messages: readonly JsonObject[]): void {
  const size = messages.reduce((sum, message) => sum + sizeOf(message), 0);
  if (size <= LARGEST_MESSAGE) return;
  const message = `Batch requests cannot be longer than ${LARGEST_MESSAGE} bytes. You have sent ${size} bytes.`;
  throw new AwsError('BatchRequestTooLong', message);
}

/** Throws an AwsError if the queue never gave this receipt handle. */
export function checkHandle(queue: Queue, handle: string): void {
  if (queue.gave(handle)) return;
  throw new AwsError('ReceiptHandleIsInvalid', `The input receipt handle "${handle}" is not a valid receipt handle.`);
}

export function invalidValue(value: string, name: string, reason: string): AwsError {
  return new AwsError('InvalidParameterValue', `Value ${value} for parameter ${name} is invalid. Reason: ${reason}`);
}

function sizeOf(message: JsonObject): number {
  return textsOf(message).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/** The body, and the names, types and values of the attributes. */
function textsOf({ MessageBody: body, MessageAttributes: attributes }: JsonObject): string[] {
  const ofAttributes = Object.entries(isJsonObject(attributes) ? attributes : {}).flatMap(([name, attribute]) => [
    name,
    ...Object.values(isJsonObject(attribute) ? attribute : {}),
  ]);
  return [body, ...ofAttributes].filter((text) => typeof text === 'string');
}

/** The most entries that a batch of SQS may have. */
const MOST_ENTRIES = 10;

/** Carries out an operation for each entry of a batch. An entry that fails does not stop the others. */
export function inBatch(input: JsonObject, operation: (entry: JsonObject) => object): object {
  const entries = Array.isArray(input.Entries) ? input.Entries.filter(isJsonObject) : [];
  checkEntries(entries);
  const [Successful, Failed]: [object[], object[]] = [[], []];
  for (const entry of entries) {
    const { Id } = entry;
    try {
      Successful.push({ Id, ...operation({ ...entry, QueueUrl: input.QueueUrl ?? '' }) });
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      Failed.push({ Id, Code: error.code, Message: error.message, SenderFault: true });
    }
  }
  return { Successful, Failed };
}

/** Throws an AwsError if SQS refuses the whole batch. */
function checkEntries(entries: readonly JsonObject[]): void {
  if (entries.length === 0)
    throw new AwsError('EmptyBatchRequest', 'There should be at least one entry in the request.');
  if (entries.length > MOST_ENTRIES) {
    const message = `Maximum number of entries per request are ${MOST_ENTRIES}. You have sent ${entries.length}.`;
    throw new AwsError('TooManyEntriesInBatchRequest', message);
  }
  const ids = entries.map(({ Id }) => String(Id));
  if (!ids.every((id) => /^[\w-]{1,80}$/.test(id))) {
    throw new AwsError(
      'InvalidBatchEntryId',
      'A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.',
    );
  }
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeated !== undefined) throw new AwsError('BatchEntryIdsNotDistinct', `Id ${repeated} repeated.`);
  checkBatchSize(entries);
}
