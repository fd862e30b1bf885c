import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { NoSuchKey, NotFound, S3Client } from '@aws-sdk/client-s3';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { vi } from 'vitest';

type Input = Record<string, unknown>;
type Answer = (input: Input) => unknown;

/** What the pretended AWS holds. Every write succeeds and changes nothing. */
export interface Held {
  /** @throws to make the table fail. */
  item(key: { orderRef: string; item: string }): object | undefined;
  /** Items other than the item `order` whose sort key begins with `prefix`. */
  items(orderRef: string, prefix: string): object[];
  object(key: string): Uint8Array | undefined;
  /** Called with every object that is written. */
  onPut?(bucket: string, key: string, text: string): void;
}

/** Answers without a server what functions that handle events ask of AWS, so that thousands of events take seconds. */
export function pretendAws(held: Held): void {
  answerFor(DynamoDBClient, { ...writes, ...reads(held) });
  answerFor(S3Client, {
    Head: ({ Key }) => headOf(objectAt(held, Key) ?? missing(NotFound)),
    Get: ({ Key }) => {
      const content = objectAt(held, Key) ?? missing(NoSuchKey);
      return { ...headOf(content), Body: { transformToByteArray: async () => content, destroy: () => undefined } };
    },
    ListObjects: () => ({}),
    Put: ({ Bucket, Key, Body }) => {
      held.onPut?.(String(Bucket), checked(Key, 1_024), String(Body));
      return { VersionId: 'written' };
    },
    Delete: ({ Key }) => ({ VersionId: checked(Key, 1_024).slice(0, 1) }),
  });
}

function answerFor(client: { prototype: object }, answers: Record<string, Answer>): void {
  const send = async (command: { input: Input }): Promise<unknown> => {
    const { name } = command.constructor;
    const answer = Object.entries(answers).find(([kind]) => name.startsWith(kind))?.[1];
    if (!answer) throw new Error(`Nobody expects ${name} here.`);
    return answer(command.input);
  };
  vi.spyOn(client.prototype as { send: typeof send }, 'send').mockImplementation(send);
}

function reads({ item, items }: Held): Record<string, Answer> {
  return {
    Get: ({ Key }) => {
      const found = item(keyIn(Key));
      return found ? { Item: marshall(found, { removeUndefinedValues: true }) } : {};
    },
    Query: ({ ExpressionAttributeValues: values }) => {
      const { ':record': record, ':prefix': prefix } = unmarshall(values as Parameters<typeof unmarshall>[0]);
      const orderRef = checked(record, 2_048);
      const found = items(orderRef, prefix === undefined ? '' : checked(prefix, 1_024));
      const order = prefix === undefined ? item({ orderRef, item: 'order' }) : undefined;
      const all = order ? [...found, { orderRef, item: 'order', ...order }] : found;
      return { Items: all.map((one) => marshall(one, { removeUndefinedValues: true })) };
    },
  };
}

const write: Answer = (input) => {
  keyIn(input.Key ?? input.Item);
  checked(JSON.stringify(input), 400 * 1024);
  return {};
};
const writes = { Put: write, Update: write, Delete: write };

function keyIn(marshalled: unknown): { orderRef: string; item: string } {
  const { orderRef, item } = marshalled as Record<string, { S?: string }>;
  return { orderRef: checked(orderRef?.S, 2_048), item: checked(item?.S, 1_024) };
}

const objectAt = ({ object }: Held, key: unknown): Uint8Array | undefined => object(checked(key, 1_024));

function headOf(content: Uint8Array) {
  return { VersionId: 'version-1', ContentLength: content.length, ContentType: 'application/octet-stream' };
}

function missing(Missing: typeof NotFound | typeof NoSuchKey): never {
  throw new Missing({ message: '', $metadata: {} });
}

/** A text that AWS takes, with at most this many bytes. */
function checked(text: unknown, largest: number): string {
  if (typeof text === 'string' && text !== '' && text.isWellFormed() && Buffer.byteLength(text) <= largest) return text;
  throw new Error('ValidationException: AWS does not take this text');
}
