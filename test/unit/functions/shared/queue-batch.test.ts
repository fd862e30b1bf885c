import type { Context, SQSEvent } from 'aws-lambda';
import { expect, test, vi } from 'vitest';
import { logger } from '../../../../functions/shared/log.ts';
import { eachEvent } from '../../../../functions/shared/queue-batch.ts';

const batch = (...bodies: string[]) =>
  ({ Records: bodies.map((body, position) => ({ messageId: `message-${position}`, body })) }) as unknown as SQSEvent;
const context = (remaining: () => number = () => 150_000) =>
  ({ awsRequestId: 'request', getRemainingTimeInMillis: remaining }) as unknown as Context;

test('one event that fails is named, and the events after it are handled', async () => {
  const handled: string[] = [];
  const errors = vi.spyOn(logger, 'error').mockImplementation(() => undefined);
  const handle = eachEvent(async ({ name }: { name: string }) => {
    if (name === 'poison') throw new TypeError('broken');
    handled.push(name);
  });
  const names = ['first', 'poison', 'last'].map((name) => JSON.stringify({ name }));
  expect(await handle(batch(...names, 'no JSON'), context())).toEqual({
    batchItemFailures: [{ itemIdentifier: 'message-1' }, { itemIdentifier: 'message-3' }],
  });
  expect(handled).toEqual(['first', 'last']);
  expect(errors.mock.calls.map(([message]) => message)).toEqual([
    'An event could not be handled (TypeError); it comes again',
    'An event could not be handled (UnusableEvent); it comes again',
  ]);
});

test('events for which no time is left come again', async () => {
  let remaining = 40_000;
  const handled: number[] = [];
  vi.spyOn(logger, 'warn').mockImplementation(() => undefined);
  const handle = eachEvent(async (event: number) => {
    remaining -= 20_000;
    handled.push(event);
  });
  const { batchItemFailures } = await handle(
    batch('1', '2', '3'),
    context(() => remaining),
  );
  expect(handled).toEqual([1]);
  expect(batchItemFailures).toEqual([{ itemIdentifier: 'message-1' }, { itemIdentifier: 'message-2' }]);
});

test('the lines of an event in the log name its message and nothing of the event before', async () => {
  const [reset, appended] = [vi.spyOn(logger, 'resetKeys'), vi.spyOn(logger, 'appendKeys')];
  await eachEvent(async (orderRef: string) => logger.appendKeys({ orderRef }))(batch('"a"', '"b"'), context());
  expect(reset).toHaveBeenCalledTimes(2);
  expect(appended.mock.calls.map(([keys]) => keys)).toEqual([
    { requestId: 'request', messageId: 'message-0' },
    { orderRef: 'a' },
    { requestId: 'request', messageId: 'message-1' },
    { orderRef: 'b' },
  ]);
});
