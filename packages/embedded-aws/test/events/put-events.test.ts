import { EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { beforeEach, expect, test } from 'vitest';
import { startHandmade } from '../cloudformation/handmade-assembly.ts';

const MIB = 1_048_576;
const ENTRY = { Source: 'mine', DetailType: 'Happened', Detail: '{}' };

let events: EventBridgeClient;
const published: unknown[] = [];

beforeEach(async () => {
  published.length = 0;
  const { aws, config } = await startHandmade({ Stack: { Resources: {} } });
  aws.watch((change) => {
    if (change.type === 'event') published.push(change.event);
  });
  events = new EventBridgeClient(config);
});

const put = (...Entries: PutEventsRequestEntry[]) => events.send(new PutEventsCommand({ Entries }));
const refusal = (...entries: PutEventsRequestEntry[]) =>
  put(...entries).then(
    () => 'not refused',
    ({ name, message }: Error) => `${name}: ${message}`,
  );

// The error of AWS: https://github.com/aws-samples/serverless-patterns/pull/3089.
test('EventBridge refuses an entry of which AWS is the source, and takes the others', async () => {
  const { FailedEntryCount, Entries } = await put(ENTRY, { ...ENTRY, Source: 'aws.s3' });
  expect(FailedEntryCount).toBe(1);
  expect(Entries).toEqual([
    { EventId: expect.any(String) },
    { ErrorCode: 'NotAuthorizedForSourceException', ErrorMessage: 'Not authorized for the source.' },
  ]);
  expect(published).toHaveLength(1);
});

test.each([
  ['Source', ''],
  ['DetailType', ''],
  ['Detail', ''],
])('EventBridge refuses an entry without %s', async (name, value) => {
  const { Entries } = await put({ ...ENTRY, [name]: value }, { ...ENTRY, [name]: undefined });
  const refused = { ErrorCode: 'InvalidArgument', ErrorMessage: expect.stringContaining(`Parameter ${name}`) };
  expect(Entries).toEqual([refused, refused]);
});

test('EventBridge refuses an entry whose Detail is no JSON', async () => {
  const { Entries } = await put({ ...ENTRY, Detail: '{' });
  expect(Entries?.map(({ ErrorCode }) => ErrorCode)).toEqual(['MalformedDetail']);
});

test('a request of no entry, or of 11, is refused, and nothing of it is published', async () => {
  const tooMany = Array.from({ length: 11 }, () => ENTRY);
  expect(await refusal(...tooMany)).toMatch(/^ValidationException: /);
  expect(await refusal()).toMatch(/^ValidationException: /);
  expect(published).toEqual([]);
});

// The limit is in the documentation of PutEvents in the SDK, the sum in
// https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevents.html#eb-putevent-size, and the message in
// https://github.com/awslabs/aws-service-catalog-puppet/issues/563.
test('a request of more than 1 MiB is refused as a whole, however its entries share it', async () => {
  const detail = (bytes: number) => JSON.stringify({ a: 'x'.repeat(bytes - 8) });
  const rest = 'mine'.length + 'Happened'.length + '{}'.length;
  const fitting = { ...ENTRY, Detail: detail(MIB - rest - 'mine'.length - 'Happened'.length) };
  const TOO_LARGE = /^ValidationException: Total size of the entries in the request is over the limit\./;
  expect(await refusal(fitting, ENTRY)).toBe('not refused');
  expect(await refusal(fitting, { ...ENTRY, Resources: ['x'] })).toMatch(TOO_LARGE);
  expect(await refusal(fitting, { ...ENTRY, Time: new Date(0) })).toMatch(TOO_LARGE);
  expect(await refusal({ ...ENTRY, Detail: `{"a":"${'é'.repeat(MIB / 2)}"}` })).toMatch(TOO_LARGE);
  expect(published).toHaveLength(2);
});

test('a request with a bus that does not exist publishes nothing', async () => {
  expect(await refusal(ENTRY, { ...ENTRY, EventBusName: 'none' })).toMatch(/^ResourceNotFoundException: /);
  expect(published).toEqual([]);
});
