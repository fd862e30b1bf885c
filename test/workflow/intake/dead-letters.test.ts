import { readFileSync } from 'node:fs';
import { GetQueueAttributesCommand, SQSClient, StartMessageMoveTaskCommand } from '@aws-sdk/client-sqs';
import { beforeEach, expect, test } from 'vitest';
import { NO_OFFERS, OFFERS_AT_ONCE, openWorld } from '../../helpers/open-world.ts';
import { orderPackage } from '../../helpers/packages.ts';
import { DAY } from '../../helpers/world.ts';

const settings = { ...OFFERS_AT_ONCE, ...NO_OFFERS };
const world = await openWorld({ settings });
beforeEach(() => world.forget(settings));

const { wrappers } = world;
const sqs = new SQSClient(world.aws.clientSettings);

/** How many events of the function check-package have been given up. */
async function letters(): Promise<number> {
  const QueueUrl = world.outputs.CheckPackageDeadLetterQueueUrl;
  const AttributeNames = ['ApproximateNumberOfMessages'] as const;
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...AttributeNames] }),
  );
  return Number(Attributes?.ApproximateNumberOfMessages);
}

/** Lets time pass until one event has been given up. */
async function untilLetter(): Promise<void> {
  const limit = world.clock.now() + 2 * DAY;
  while ((await letters()) === 0 && world.clock.now() < limit) {
    world.clock.advanceTo(world.clock.now() + 15 * 60_000);
    await world.aws.settle();
  }
  expect(await letters()).toBe(1);
}

/** The command of docs/operations.md. */
async function redrive(): Promise<void> {
  const page = readFileSync('docs/operations.md', 'utf8');
  const [SourceArn = '', DestinationArn = ''] = ['source', 'destination'].map((option) =>
    new RegExp(`--${option}-arn (\\S+)`)
      .exec(page)?.[1]
      ?.replace('<region>:<account>:loan-orders-test', 'us-east-1:000000000000:loan-orders-local'),
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
  expect(await letters()).toBe(0);
});

test('a package whose intake failed for a day starts once after a redrive', async () => {
  await world.put('intake', 'documents/charter.pdf', 'bytes');
  // The event of the document finds no package yet.
  await world.aws.settle();
  wrappers.invokeWrapper = async (name, _event, invoke) =>
    name.endsWith('-check-package') ? Promise.reject(new TypeError('broken')) : invoke();
  await world.put('intake', 'order.json', orderPackage());
  await untilLetter();
  expect(await world.record('intake')).toBeUndefined();
  wrappers.invokeWrapper = undefined;
  await redrive();
  expect(await world.untilEnd('intake')).toMatchObject({ status: 'CLOSED', generation: 1 });
});
