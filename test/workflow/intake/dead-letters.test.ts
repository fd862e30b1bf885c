import { readFileSync } from 'node:fs';
import { GetQueueAttributesCommand, SQSClient, StartMessageMoveTaskCommand } from '@aws-sdk/client-sqs';
import { beforeEach, expect, test } from 'vitest';
import { commandsIn } from '../../helpers/commands-in.ts';
import { answer, creating, inject, removeFaults } from '../../helpers/faults.ts';
import { NO_OFFERS, OFFERS_AT_ONCE, openWorld } from '../../helpers/open-world.ts';
import { orderPackage } from '../../helpers/packages.ts';
import { DAY } from '../../helpers/world.ts';

const settings = { ...OFFERS_AT_ONCE, ...NO_OFFERS };
const world = await openWorld({ settings });
beforeEach(() => world.forget(settings));

const { wrappers } = world;
const { done } = commandsIn(world);
const sqs = new SQSClient(world.aws.clientSettings);

function fail(name: string, error: string, matches: (event: string) => boolean = () => true): void {
  wrappers.invokeWrapper = async (functionName, event, invoke) => {
    if (functionName !== `loan-orders-local-${name}` || !matches(JSON.stringify(event))) return invoke();
    throw Object.assign(new Error('broken'), { name: error });
  };
}

async function letters(name: string): Promise<number> {
  const QueueUrl = world.outputs[`${name}DeadLetterQueueUrl`];
  const asked = { QueueUrl, AttributeNames: ['ApproximateNumberOfMessages' as const] };
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand(asked));
  return Number(Attributes?.ApproximateNumberOfMessages);
}

async function untilLetter(name: string): Promise<void> {
  const limit = world.clock.now() + 2 * DAY;
  while ((await letters(name)) === 0 && world.clock.now() < limit) {
    world.clock.advanceTo(world.clock.now() + 15 * 60_000);
    await world.aws.settle();
  }
  expect(await letters(name)).toBe(1);
}

/** The command of docs/operations.md, for this function. */
async function redrive(name: string): Promise<void> {
  const page = readFileSync('docs/operations.md', 'utf8');
  const [SourceArn = '', DestinationArn = ''] = ['source', 'destination'].map((option) =>
    new RegExp(`--${option}-arn (\\S+)`)
      .exec(page)?.[1]
      ?.replace(
        '<region>:<account>:loan-orders-test-check-package',
        `us-east-1:000000000000:loan-orders-local-${name}`,
      ),
  );
  await sqs.send(new StartMessageMoveTaskCommand({ SourceArn, DestinationArn }));
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
  expect(await world.submitToEnd('throttled')).toMatchObject({ status: 'CLOSED' });
  expect(throttled).toBeGreaterThan(30);
  expect(world.clock.now()).toBeGreaterThan(until);
  expect(world.simulator.orders()).toHaveLength(before + 1);
  expect(await letters('CheckPackage')).toBe(0);
});

test('a package whose intake failed for a day starts once after a redrive', async () => {
  await world.put('intake', 'documents/charter.pdf', 'bytes');
  // The event of the document finds no package yet.
  await world.aws.settle();
  fail('check-package', 'TypeError');
  await world.put('intake', 'order.json', orderPackage());
  await untilLetter('CheckPackage');
  expect(await world.record('intake')).toBeUndefined();
  wrappers.invokeWrapper = undefined;
  await redrive('check-package');
  expect(await world.untilEnd('intake')).toMatchObject({ status: 'CLOSED', generation: 1 });
});

test('an end that could not be recorded for a day is recorded after a redrive, and the order can be retried', async () => {
  inject(world.simulator, 'before', creating, answer(400));
  fail('record-end', 'TypeError');
  await world.submit('end');
  await untilLetter('RecordEnd');
  expect((await world.executions('end')).map(({ status }) => status)).toEqual(['FAILED']);
  expect(await world.record('end')).toMatchObject({ waitingFor: 'service' });
  wrappers.invokeWrapper = undefined;
  await redrive('record-end');
  await world.aws.settle();
  expect(await world.record('end')).toMatchObject({ waitingFor: 'operator', failure: { error: 'Rejected' } });
  removeFaults(world.simulator);
  await done('retry', 'end');
  expect(await world.untilEnd('end')).toMatchObject({ status: 'CLOSED', generation: 2 });
});
