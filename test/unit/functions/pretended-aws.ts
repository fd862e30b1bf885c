import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { NoSuchKey, NotFound, S3Client } from '@aws-sdk/client-s3';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { vi } from 'vitest';

type Input = Record<string, unknown>;
type Answer = (input: Input) => unknown;

/** Answers without a server what functions that handle events ask of AWS, so that thousands of events take seconds. */
export function pretendAws(
  order: { orderRef: string; item: string },
  onPut: (key: string, text: string) => void,
): void {
  const Item = marshall(order);
  const isOurs = ({ orderRef, item }: Partial<typeof order>) => orderRef === order.orderRef && item === order.item;
  answerFor(DynamoDBClient, {
    Get: ({ Key }) => (isOurs(keyIn(Key)) ? { Item } : {}),
    Query: ({ ExpressionAttributeValues: values }) => {
      const { ':record': record, ':prefix': prefix } = unmarshall(values as Parameters<typeof unmarshall>[0]);
      const orderRef = checked(record, 2_048);
      return {
        Items: isOurs({ orderRef, item: prefix === undefined ? 'order' : checked(prefix, 1_024) }) ? [Item] : [],
      };
    },
    ...{ Put: write, Update: write, Delete: write },
  });
  answerFor(S3Client, {
    Head: ({ Key }) => objectAt(Key, NotFound),
    Get: ({ Key }) => objectAt(Key, NoSuchKey),
    ListObjects: () => ({}),
    Put: ({ Bucket, Key, Body }) => {
      const key = checked(Key, 1_024);
      if (Bucket === 'staging') onPut(key, String(Body));
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

function write(input: Input) {
  keyIn(input.Key ?? input.Item);
  checked(JSON.stringify(input), 400 * 1024);
  return {};
}

function keyIn(marshalled: unknown): { orderRef: string; item: string } {
  const { orderRef, item } = marshalled as Record<string, { S?: string }>;
  return { orderRef: checked(orderRef?.S, 2_048), item: checked(item?.S, 1_024) };
}

function objectAt(key: unknown, Missing: typeof NotFound | typeof NoSuchKey) {
  if (checked(key, 1_024) !== 'orders/full/order.json') throw new Missing({ message: '', $metadata: {} });
  const Body = { transformToByteArray: async () => Buffer.from('{'), destroy: () => undefined };
  return { VersionId: 'version-1', ContentLength: 1, ContentType: 'application/octet-stream', Body };
}

function checked(text: unknown, largest: number): string {
  if (typeof text === 'string' && text !== '' && text.isWellFormed() && Buffer.byteLength(text) <= largest) return text;
  throw new Error('ValidationException: AWS does not take this text');
}
