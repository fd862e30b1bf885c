import type { InvokeWrapper } from '@business-loan-orders/embedded-aws';
import { afterEach, expect, test } from 'vitest';
import { run } from '../../../commands/program.ts';
import type { LetterDescription } from '../../../commands/stage/letter-description.ts';
import { answer, creating, inject, removeFaults } from '../../helpers/faults.ts';
import { NO_OFFERS, OFFERS_AT_ONCE } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { orderPackage, submit } from '../../helpers/packages.ts';
import { DAY } from '../../helpers/world.ts';

const usual = { ...OFFERS_AT_ONCE, ...NO_OFFERS };
let wrapper: InvokeWrapper | undefined;

const world = await openWorld({
  settings: usual,
  invokeWrapper: (name, event, invoke) => (wrapper ? wrapper(name, event, invoke) : invoke()),
});

afterEach(() => {
  wrapper = undefined;
  Object.assign(world.simulator.settings, usual);
});

/** Fails every invocation of the function whose event `matches`, as Lambda fails it. */
function fail(name: string, error: string, matches: (event: string) => boolean = () => true): void {
  wrapper = async (functionName, event, invoke) => {
    if (functionName !== `loan-orders-local-${name}` || !matches(JSON.stringify(event))) return invoke();
    throw Object.assign(new Error('broken'), { name: error });
  };
}

/** Runs a command line against the world. */
async function loanOrders(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const [out, err]: [string[], string[]] = [[], []];
  const streams = { out: (text: string) => void out.push(text), err: (text: string) => void err.push(text) };
  const code = await run(['--endpoint', world.aws.endpoint, ...args], streams);
  return { code, out: out.join(''), err: err.join('') };
}

const letters = async () =>
  JSON.parse((await loanOrders('--json', 'dead-letters', 'list')).out) as Omit<LetterDescription, 'event'>[];

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
  wrapper = async (name, _event, invoke) => {
    if (!name.endsWith('-check-package') || world.clock.now() >= until) return invoke();
    throttled += 1;
    throw Object.assign(new Error('Rate Exceeded.'), { name: 'TooManyRequestsException' });
  };
  const orderRefs = ['throttled-1', 'throttled-2', 'throttled-3'];
  for (const orderRef of orderRefs) await submit(world, orderRef);
  for (const orderRef of orderRefs) expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED' });
  expect(throttled).toBeGreaterThan(90);
  expect(world.clock.now()).toBeGreaterThan(until);
  expect(world.simulator.orders()).toHaveLength(before + orderRefs.length);
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
  const shown = await loanOrders('dead-letters', 'show', id);
  expect(shown).toMatchObject({ code: 0, out: expect.stringContaining('"key": "orders/intake/order.json"') });
  expect((await loanOrders('dead-letters', 'list')).out).toMatch(
    new RegExp(`${id}  check-package .* intake  package  failed`),
  );
  wrapper = undefined;
  expect(await loanOrders('dead-letters', 'replay', id)).toMatchObject({
    code: 0,
    out: `${id}: sent to check-package again (package of order intake).\n`,
  });
  expect(await world.untilEnd('intake')).toMatchObject({ status: 'CLOSED', generation: 1 });
  expect(await loanOrders('dead-letters', 'replay', id)).toMatchObject({
    code: 1,
    err: expect.stringContaining(`There is no dead letter ${id}: nothing was done.`),
  });
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
  wrapper = undefined;
  expect(await loanOrders('dead-letters', 'replay', '--all')).toMatchObject({ code: 0 });
  await world.aws.settle();
  expect(await world.record('end')).toMatchObject({ waitingFor: 'operator', failure: { error: 'Rejected' } });
  removeFaults(world.simulator);
  expect(await loanOrders('retry', 'end')).toMatchObject({ code: 0 });
  expect(await world.untilEnd('end')).toMatchObject({ status: 'CLOSED', generation: 2 });
});

test("SQS's own redrive does what the command does", async () => {
  fail('check-package', 'TypeError');
  await submit(world, 'redriven');
  const id = await deadLetter();
  expect(id).not.toBe('');
  wrapper = undefined;
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
  expect((await loanOrders('dead-letters', 'replay', '--all')).out).toContain('The next sweep does the same work.');
  expect(await loanOrders('dead-letters', 'list')).toMatchObject({ code: 0, out: 'No dead letters.\n' });
  expect(await loanOrders('dead-letters', 'replay')).toMatchObject({ code: 2 });
});
