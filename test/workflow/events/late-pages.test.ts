import { StopExecutionCommand } from '@aws-sdk/client-sfn';
import type { AwsRequest } from '@business-loan-orders/embedded-aws';
import { expect, test } from 'vitest';
import { choiceStates } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';
import { runSweep } from '../../helpers/run-sweep.ts';

const world = await openWorld();

const publishes = ({ service, operation, path }: AwsRequest, name = 'status.json') =>
  service === 'S3' && operation === 'PUT' && path.includes(`/${name}`);

const page = (orderRef: string) =>
  world.stagedJson<{ status: string; waitingFor: string } | null>(orderRef, 'status.json');

test.each(['status.json', 'choices.json'])(
  '%s that cannot be published stops no order, and the next sweep publishes it',
  async (name) => {
    const orderRef = `denied-${name}`;
    world.wrappers.requestWrapper = async (request) =>
      publishes(request, name) ? { status: 403, code: 'AccessDenied' } : undefined;
    await submit(world, orderRef);
    expect(await world.untilEnd(orderRef)).toMatchObject({ unpublished: [name] });
    expect(await world.stagedJson(orderRef, name)).toBeNull();
    world.wrappers.requestWrapper = undefined;
    world.clock.advanceTo(world.clock.now() + 120_000);
    expect(await runSweep(world)).toMatchObject({ told: 1 });
    expect(await page(orderRef)).toMatchObject({ status: 'CLOSED', waitingFor: 'nobody' });
    expect(await choiceStates(world, orderRef)).toEqual(['confirmed', 'confirmed']);
    expect(await world.record(orderRef)).not.toHaveProperty('unsent');
  },
);

test('a page that was left is published with the next change', async () => {
  let left = 1;
  world.wrappers.requestWrapper = async (request) => {
    if (!publishes(request) || left === 0) return undefined;
    left -= 1;
    return { status: 403, code: 'AccessDenied' };
  };
  await submit(world, 'left');
  await world.until('left', ({ waitingFor }) => waitingFor === 'signatures', { signing: false });
  expect(left).toBe(0);
  expect(await page('left')).toMatchObject({ status: 'WAITING_FOR_SIGNATURE', waitingFor: 'signatures' });
  await world.untilEnd('left');
});

test('a page whose function ends before the record knows of it is published again', async () => {
  let left = 3;
  world.wrappers.requestWrapper = async ({ operation, body }) => {
    if (operation !== 'UpdateItem' || !body.includes('#published') || !body.includes('"unrecorded"') || left === 0)
      return undefined;
    left -= 1;
    return { status: 400, code: 'AccessDeniedException' };
  };
  await submit(world, 'unrecorded');
  await world.untilEnd('unrecorded');
  expect(left).toBe(0);
  expect(await page('unrecorded')).toMatchObject({ status: 'CLOSED', waitingFor: 'nobody' });
});

test('a slow function does not replace the page of a later change', async () => {
  const later = Promise.withResolvers<void>();
  const stopWatching = world.aws.watch((change) => {
    if (isHeld && change.type === 'object' && change.key === 'orders/slow/status.json') later.resolve();
  });
  let isHeld = false;
  world.wrappers.requestWrapper = async (request) => {
    if (!publishes(request) || !request.path.includes('/slow/') || isHeld) return undefined;
    const { waitingFor, execution } = (await world.record('slow')) ?? {};
    if (waitingFor !== 'signatures') return undefined;
    // The page that says so is held until the page says that the execution was stopped.
    isHeld = true;
    await world.stepFunctions.send(new StopExecutionCommand({ executionArn: execution, error: 'Stopped' }));
    await later.promise;
    return undefined;
  };
  await submit(world, 'slow');
  await world.until('slow', ({ waitingFor }) => waitingFor === 'operator', { signing: false });
  await world.aws.settle();
  stopWatching();
  expect(isHeld).toBe(true);
  expect(await page('slow')).toMatchObject({ waitingFor: 'operator', failure: { error: 'Stopped' } });
});
