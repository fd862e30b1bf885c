import type { Context, SQSEvent } from 'aws-lambda';
import { expect, test, vi } from 'vitest';
import { logger } from '../../../core/log.ts';
import { orderOfObject } from '../../../core/package/intake-event.ts';
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

const created = (key: unknown) => ({ detail: { object: { key, 'version-id': 5 } } });
const ended = (input: unknown) => ({ detail: { input, status: 5 } });

test('an event that cannot be used may name its order', () => {
  expect(orderOfObject(created('orders/an-order/signatures/a.sig'))).toBe('an-order');
  for (const none of [created('orders/no order/order.json'), created('lost.pdf'), created(5), null, undefined, 'text'])
    expect(orderOfObject(none)).toBeUndefined();
  expect(orderOfEnd(ended('{"orderRef":"an-order","generation":1}'))).toBe('an-order');
  for (const none of [ended('{}'), ended('no JSON'), ended(5), null, undefined, 'text'])
    expect(orderOfEnd(none)).toBeUndefined();
});
