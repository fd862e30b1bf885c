import type { Context, SQSEvent } from 'aws-lambda';
import { expect, test, vi } from 'vitest';
import { executionChanged } from '../../../core/aws/execution-end.ts';
import { inBatches } from '../../../core/in-batches.ts';
import { logger } from '../../../core/log.ts';
import { objectCreated, orderOfObject } from '../../../core/package/intake-event.ts';
import { eachEvent, UnusableEvent } from '../../../core/queue-batch.ts';
import { orderOfEnd } from '../../../core/recovery/record-execution-end.ts';

const batch = (...bodies: string[]) =>
  ({ Records: bodies.map((body, position) => ({ messageId: `message-${position}`, body })) }) as unknown as SQSEvent;
const context = { awsRequestId: 'request' } as Context;

const namesNone = () => undefined;

test('one event that fails is named, and the events after it are handled', async () => {
  const handled: string[] = [];
  const errors = vi.spyOn(logger, 'error').mockImplementation(() => undefined);
  const handle = eachEvent(async ({ name }: { name: string }) => {
    if (name === 'poison') throw new TypeError('broken');
    handled.push(name);
  }, namesNone);
  const names = ['first', 'poison', 'last'].map((name) => JSON.stringify({ name }));
  expect(await handle(batch(...names, 'no JSON'), context)).toEqual({
    batchItemFailures: [{ itemIdentifier: 'message-1' }, { itemIdentifier: 'message-3' }],
  });
  expect(handled).toEqual(['first', 'last']);
  expect(errors.mock.calls.map(([message]) => message)).toEqual([
    'An event could not be handled (TypeError); it comes again',
    'An event could not be handled (UnusableEvent); it comes again',
  ]);
});

test('the lines of an event in the log name its message and nothing of the event before', async () => {
  const [reset, appended] = [vi.spyOn(logger, 'resetKeys'), vi.spyOn(logger, 'appendKeys')];
  const handle = eachEvent(async (orderRef: string) => logger.appendKeys({ orderRef }), namesNone);
  await handle(batch('"a"', '"b"'), context);
  expect(reset).toHaveBeenCalledTimes(2);
  expect(appended.mock.calls.map(([keys]) => keys)).toEqual([
    { awsRequestId: 'request', messageId: 'message-0' },
    { orderRef: 'a' },
    { awsRequestId: 'request', messageId: 'message-1' },
    { orderRef: 'b' },
  ]);
});

test('the line about an event that cannot be used has its order', async () => {
  const appended = vi.spyOn(logger, 'appendKeys');
  const said = vi.fn();
  vi.spyOn(logger, 'error').mockImplementation((...words) => said(words[0], appended.mock.lastCall?.[0]));
  const refuse = async () => Promise.reject(new UnusableEvent('The message is no event.'));
  await eachEvent(refuse, (message) => (message as { of: string }).of)(batch('{"of":"an-order"}'), context);
  const line = 'An event could not be handled (UnusableEvent); it comes again';
  expect(said.mock.calls).toEqual([[line, { awsRequestId: 'request', messageId: 'message-0', orderRef: 'an-order' }]]);
});

const created = (key: unknown, versionId: unknown = 5) => ({ detail: { object: { key, 'version-id': versionId } } });
const ended = (input: unknown, others: object = { status: 5 }) => ({ detail: { input, ...others } });

test.each([
  null,
  {},
  created(5, 'v'),
  created('', 'v'),
  created('\uD800', 'v'),
  created('Ы'.repeat(513), 'v'),
  created('a'),
])('%j is no event of S3', (event) => {
  expect(() => objectCreated(event)).toThrow(UnusableEvent);
});

const failed = { executionArn: 'arn', status: 'FAILED', stopDate: 1 };

test.each([
  null,
  {},
  ended('{}', {}),
  ended(5, failed),
  ended('{}', { ...failed, stopDate: null }),
  ended('{}', { ...failed, stopDate: 1e17 }),
  ended('{}', { ...failed, redriveCount: 1.5 }),
  ended('{}', { ...failed, cause: {} }),
])('%j is no event of an execution', (event) => {
  expect(() => executionChanged(event)).toThrow(UnusableEvent);
});

test('an event that cannot be used may name its order', () => {
  expect(orderOfObject(created('orders/an-order/signatures/a.sig'))).toBe('an-order');
  for (const none of [created('orders/no order/order.json'), created('lost.pdf'), created(5), null, undefined, 'text'])
    expect(orderOfObject(none)).toBeUndefined();
  expect(orderOfEnd(ended('{"orderRef":"an-order","generation":1}'))).toBe('an-order');
  for (const none of [ended('{}'), ended('no JSON'), ended(5), null, undefined, 'text'])
    expect(orderOfEnd(none)).toBeUndefined();
});

const turn = () => new Promise((resolve) => setImmediate(resolve));
const numbers = Array.from({ length: 25 }, (_, position) => position);

test('after a failure nothing goes on, and the batch has ended', async () => {
  const ended: number[] = [];
  const failing = inBatches(numbers, async (number) => {
    if (number === 12) throw new Error('refused');
    for (let turns = 0; turns < 5; turns += 1) await turn();
    ended.push(number);
  });
  await expect(failing).rejects.toThrow('refused');
  expect(ended).toHaveLength(19);
  for (let turns = 0; turns < 20; turns += 1) await turn();
  expect(ended).toHaveLength(19);
});
