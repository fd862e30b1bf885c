import { beforeEach, expect, test } from 'vitest';
import type { LetterDescription } from '../../../commands/stage/letter-description.ts';
import { commandsIn } from '../../helpers/commands-in.ts';
import { answer, creating, inject, removeFaults } from '../../helpers/faults.ts';
import { NO_OFFERS, OFFERS_AT_ONCE, openWorld, submit } from '../../helpers/open-world.ts';
import { orderPackage } from '../../helpers/packages.ts';
import { DAY } from '../../helpers/world.ts';

const settings = { ...OFFERS_AT_ONCE, ...NO_OFFERS };
const world = await openWorld({ settings });
beforeEach(() => world.forget(settings));

const { wrappers } = world;
const { done, run } = commandsIn(world);

/** Fails every invocation of the function whose event `matches`, as Lambda fails it. */
function fail(name: string, error: string, matches: (event: string) => boolean = () => true): void {
  wrappers.invokeWrapper = async (functionName, event, invoke) => {
    if (functionName !== `loan-orders-local-${name}` || !matches(JSON.stringify(event))) return invoke();
    throw Object.assign(new Error('broken'), { name: error });
  };
}

const letters = async () =>
  JSON.parse(await done('--json', 'dead-letters', 'list')) as Omit<LetterDescription, 'event'>[];

/** Lets time pass until one event has been given up. For a day none is, so nobody looks before. */
async function deadLetter(): Promise<string> {
  let id: string | undefined;
  const [soonest, limit] = [world.clock.now() + DAY, world.clock.now() + 2 * DAY];
  while (id === undefined && world.clock.now() < limit) {
    world.clock.advanceTo(world.clock.now() + 15 * 60_000);
    await world.aws.settle();
    if (world.clock.now() < soonest) continue;
    [id] = (await letters()).map((letter) => letter.id);
  }
  return id ?? '';
}

test('a function that Lambda throttles for a day loses nothing and needs nobody', async () => {
  const before = world.simulator.orders().length;
  let throttled = 0;
  const until = world.clock.now() + DAY;
  wrappers.invokeWrapper = async (name, _event, invoke) => {
    if (!name.endsWith('-check-package') || world.clock.now() >= until) return invoke();
    throttled += 1;
    throw Object.assign(new Error('Rate Exceeded.'), { name: 'TooManyRequestsException' });
  };
  await submit(world, 'throttled');
  expect(await world.untilEnd('throttled')).toMatchObject({ status: 'CLOSED' });
  expect(throttled).toBeGreaterThan(30);
  expect(world.clock.now()).toBeGreaterThan(until);
  expect(world.simulator.orders()).toHaveLength(before + 1);
  expect(await letters()).toEqual([]);
});

test('a package whose intake failed for a day is listed, shown and replayed, and starts once although it comes twice', async () => {
  await world.put('intake', 'documents/charter.pdf', 'bytes');
  // The event of the document finds no package yet.
  await world.aws.settle();
  fail('check-package', 'TypeError');
  await world.put('intake', 'order.json', orderPackage());
  const id = await deadLetter();
  expect(await world.record('intake')).toBeUndefined();
  expect(await done('dead-letters', 'show', id)).toContain('"key": "orders/intake/order.json"');
  expect(await done('dead-letters', 'list')).toMatch(new RegExp(`${id}  check-package .* intake  package  failed`));
  wrappers.invokeWrapper = undefined;
  const sent = `${id}: sent to check-package again (package of order intake).\n`;
  expect(await done('dead-letters', 'replay', id)).toBe(sent);
  expect(await world.untilEnd('intake')).toMatchObject({ status: 'CLOSED', generation: 1 });
  const { code, stderr } = await run('dead-letters', 'replay', id);
  expect(code).toBe(1);
  expect(stderr).toContain(`There is no dead letter ${id}: nothing was done.`);
});

async function callQueue(operation: string, input: object): Promise<number> {
  const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `AmazonSQS.${operation}` };
  const body = JSON.stringify({ QueueUrl: world.outputs.CheckPackageQueueUrl, ...input });
  return (await fetch(world.aws.endpoint, { method: 'POST', headers, body })).status;
}

test('an end that could not be recorded for a day is recorded by a replay, and the order can be retried', async () => {
  inject(world.simulator, 'before', creating, answer(400));
  fail('record-end', 'TypeError');
  await submit(world, 'end');
  await deadLetter();
  expect((await world.executions('end')).map(({ status }) => status)).toEqual(['FAILED']);
  expect(await world.record('end')).toMatchObject({ waitingFor: 'service' });
  expect(await letters()).toMatchObject([{ function: 'record-end', orderRef: 'end', what: 'execution end' }]);
  wrappers.invokeWrapper = undefined;
  await done('dead-letters', 'replay', '--all');
  await world.aws.settle();
  expect(await world.record('end')).toMatchObject({ waitingFor: 'operator', failure: { error: 'Rejected' } });
  removeFaults(world.simulator);
  await done('retry', 'end');
  expect(await world.untilEnd('end')).toMatchObject({ status: 'CLOSED', generation: 2 });
});

test("SQS's own redrive does what the command does", async () => {
  fail('check-package', 'TypeError');
  await submit(world, 'redriven');
  const id = await deadLetter();
  expect(id).not.toBe('');
  wrappers.invokeWrapper = undefined;
  const arnOf = (url: string | undefined) => `arn:aws:sqs:us-east-1:000000000000:${url?.split('/').pop()}`;
  const SourceArn = arnOf(world.outputs.CheckPackageDeadLetterQueueUrl);
  expect(await callQueue('StartMessageMoveTask', { SourceArn })).toBe(200);
  expect(await world.untilEnd('redriven')).toMatchObject({ status: 'CLOSED', generation: 1 });
});

test('a letter of the sweep is deleted by a replay, because the next sweep does the same', async () => {
  const QueueUrl = world.outputs.DeadLetterQueueUrl;
  const MessageBody = JSON.stringify({ requestPayload: {}, responsePayload: { errorType: 'TypeError' } });
  await callQueue('SendMessage', { QueueUrl, MessageBody });
  expect(await letters()).toMatchObject([{ function: 'sweep-orders', what: 'a sweep', why: 'failed: TypeError' }]);
  expect(await done('dead-letters', 'replay', '--all')).toContain('The next sweep does the same work.');
  expect(await done('dead-letters', 'list')).toBe('No dead letters.\n');
  expect(await run('dead-letters', 'replay')).toMatchObject({ code: 2 });
});
