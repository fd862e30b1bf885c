import { beforeEach, expect, test } from 'vitest';
import type { OrderItem } from '../../core/order/order-item.ts';
import { commandsIn, outputOf } from '../helpers/commands-in.ts';
import { answer, creating, inject, loseAnswer } from '../helpers/faults.ts';
import { NO_OFFERS, openWorld, runSweep, SIGNATURES_AT_ONCE } from '../helpers/open-world.ts';
import { beforeFirst } from '../helpers/requests.ts';
import { submitAndAbort } from '../helpers/signatures.ts';
import { versionsOf } from '../helpers/stored-bytes.ts';
import { DAY } from '../helpers/world.ts';

const REASON = ['--reason', 'The customer chose another bank'];

const settings = { ...SIGNATURES_AT_ONCE, ...NO_OFFERS };
const world = await openWorld({ settings });
beforeEach(() => world.forget(settings));
world.aws.addPerson('AKIAOPERATOR', world.outputs.OperatorPolicy ?? '');

const { as, done, refusal, run } = commandsIn(world);

test('an order whose creation was refused is dismissed once, with the rights of an operator, and every command says so', async () => {
  inject(world.simulator, 'before', creating, answer(400));
  await world.submitToEnd('refused');
  expect(outputOf(await as('AKIAOPERATOR', 'dismiss', 'refused', ...REASON))).toBe(
    'Order refused is dismissed: it waits for nobody, and is kept as long as an order that is over. ' +
      'The order service does not have the order. "loan-orders --stage local retry refused" brings it back until its files are removed.\n',
  );
  const record = await world.record('refused');
  expect(record).toMatchObject({
    status: 'RECEIVED',
    waitingFor: 'nobody',
    dismissed: { by: 'AKIAOPERATOR', at: expect.any(String), failure: { error: 'Rejected' } },
    failure: {
      error: 'DismissedByOperator',
      cause: 'An operator dismissed the order: The customer chose another bank',
    },
  });
  expect(await world.told('refused', 'An operator dismissed the order')).toMatchObject([
    { by: 'AKIAOPERATOR', reason: 'The customer chose another bank', 'failure before': 'Rejected' },
  ]);
  const repeated = await done('dismiss', 'refused', '--reason', 'Another reason');
  expect(repeated).toMatch(/^Order refused was dismissed before, at \S+ \S+, by AKIAOPERATOR\.\n$/);
  expect(await world.record('refused')).toEqual(record);
  expect(await world.told('refused', 'An operator dismissed the order')).toHaveLength(1);
  // The command has the clock of this machine.
  world.clock.advanceTo(Math.max(world.clock.now(), Date.now()) + 120_000);
  await runSweep(world);
  expect(await world.record('refused')).toMatchObject({ openFor: 'files-to-remove', dismissed: record?.dismissed });
  expect(await world.stagedJson('refused', 'status.json')).toMatchObject({
    waitingFor: 'nobody',
    failure: { error: 'DismissedByOperator' },
  });
  expect(await done('list')).toMatch(/^refused +nobody +RECEIVED +\d+ \w+( \d+ \w+)? +DismissedByOperator$/m);
  expect(await done('list', '--waiting-for', 'operator')).toBe('No matching orders.\n');
  const page = await done('show', 'refused');
  expect(page).toMatch(/^Waiting for +nobody$/m);
  expect(page).toMatch(/^Dismissed +\S+ \S+, by AKIAOPERATOR, after Rejected$/m);
  expect(page).toContain(
    `Nothing needs to be done. A retry brings it back.\n    loan-orders --endpoint ${world.aws.endpoint} retry refused\n`,
  );
});

test('an order that the service has is dismissed with its orderId, the service is told nothing, and no decision is taken', async () => {
  const orderId = await submitAndAbort(world, 'aborted');
  const calls = world.simulator.calls().length;
  expect(await done('dismiss', 'aborted', ...REASON)).toContain(
    `The order service was not notified and has the order as ${orderId}, which may go on there.`,
  );
  expect(world.simulator.calls()).toHaveLength(calls);
  expect(await world.record('aborted')).toMatchObject({ orderId, waitingFor: 'nobody' });
  expect(await refusal('confirm', 'aborted', '--none')).toContain('Order aborted was dismissed: nothing was decided.');
});

test('an order that may exist at the service is dismissed, and a retry, once it is resolved, brings it back and takes it to CLOSED', async () => {
  inject(world.simulator, 'after', creating, loseAnswer);
  await world.submitToEnd('unknown');
  const { orders } = JSON.parse(await done('dismiss', 'unknown', ...REASON, '--json'));
  expect(orders).toMatchObject([{ orderRef: 'unknown', atService: 'unknown' }]);
  expect(await refusal('retry', 'unknown')).toContain('Order unknown may or may not exist at the order service');
  const orderId = world.simulator.orders().at(-1)?.orderId ?? '';
  await done('resolve', 'unknown', '--order-id', orderId);
  await done('retry', 'unknown');
  await world.aws.settle();
  const { dismissed, failure, ...order } = await world.untilEnd('unknown');
  expect(order).toMatchObject({ status: 'CLOSED', orderId, generation: 2 });
  expect([dismissed, failure]).toEqual([undefined, undefined]);
});

test('several orders are dismissed at once, or none of them if one cannot be', async () => {
  await world.submitToEnd('over');
  await submitAndAbort(world, 'several-1');
  await submitAndAbort(world, 'several-2');
  expect(await refusal('dismiss', 'several-1', 'over', 'several-2', ...REASON)).toBe(
    'Order over is CLOSED, which is final: there is nothing to dismiss. No order was dismissed.\n',
  );
  expect(await world.record('several-1')).toMatchObject({ waitingFor: 'operator' });
  expect((await done('dismiss', 'several-1', 'several-2', ...REASON)).split('\n')).toHaveLength(3);
  for (const orderRef of ['several-1', 'several-2'])
    expect(await world.record(orderRef)).toMatchObject({ waitingFor: 'nobody' });
});

test('dismiss refuses an order that an execution drives, that is unknown, or that nobody gives a reason for', async () => {
  await world.submitToSign('running');
  expect(await refusal('dismiss', 'running', ...REASON)).toBe(
    `Execution running-1 of order running is running: stop it with "loan-orders --endpoint ${world.aws.endpoint} abort running" first. No order was dismissed.\n`,
  );
  expect(await refusal('dismiss', 'nobody', ...REASON)).toContain('There is no order nobody here');
  expect(await run('dismiss', 'running')).toMatchObject({ code: 2 });
  expect(await run('dismiss', 'running', '--reason', ' ')).toMatchObject({ code: 2 });
  expect(await run('dismiss', 'running', '--reason', 'x'.repeat(201))).toMatchObject({ code: 2 });
  world.wrappers.deliveryWrapper = (event, deliver) => {
    if (event.source !== 'aws.states') deliver();
  };
  await world.abort('running');
  expect(await refusal('dismiss', 'running', ...REASON)).toBe(
    'Order running waits for signatures, not for an operator: if it was stopped just now, repeat this in a minute. No order was dismissed.\n',
  );
});

test('the late end of an execution that never claimed the order does not bring it back', async () => {
  await submitAndAbort(world, 'late-end');
  const lost = await world.startUnclaimed('late-end');
  await done('dismiss', 'late-end', ...REASON);
  const dismissed = await world.record('late-end');
  expect(dismissed).toMatchObject({ generation: 2, waitingFor: 'nobody' });
  for (const deliver of lost) deliver();
  await world.aws.settle();
  expect(lost.length).toBeGreaterThan(0);
  expect(await world.record('late-end')).toEqual(dismissed);
});

const filesOf = async (orderRef: string) => [...new Set((await versionsOf(world, orderRef)).map(({ file }) => file))];

test('erase removes the data of a dismissed order once it is not on hold, and then it cannot be brought back', async () => {
  const orderId = await submitAndAbort(world, 'erased');
  expect(await refusal('erase', 'erased', '--confirm', 'erased')).toContain('Only an order that is over can be erased');
  await done('hold', 'erased');
  await done('dismiss', 'erased', ...REASON);
  expect(await refusal('erase', 'erased', '--confirm', 'erased')).toContain('Order erased is on hold');
  await done('hold', 'erased', '--release');
  // Only a sweep ends it: the days of the stage count from there.
  expect(await world.record('erased')).toMatchObject({ openFor: 'operator' });
  await done('erase', 'erased', '--confirm', 'erased');
  expect(await filesOf('erased')).toEqual(['erased.json']);
  const record = await world.record('erased');
  expect(record).toMatchObject({ orderId, waitingFor: 'nobody', dismissed: { by: 'local' }, removal: {} });
  expect(JSON.stringify(await world.items('erased'))).not.toContain('another bank');
  expect(await refusal('retry', 'erased')).toContain('The files of order erased were removed: nothing was started.');
  await done('dismiss', 'erased', ...REASON);
  expect(await filesOf('erased')).toEqual(['erased.json']);
});

test('an order that is brought back while it is being erased keeps its files', async () => {
  await submitAndAbort(world, 'brought-back');
  await done('dismiss', 'brought-back', ...REASON);
  const before = await versionsOf(world, 'brought-back');
  beforeFirst(
    world,
    ({ service, operation, path }) => service === 'S3' && operation === 'GET' && path.includes('versions'),
    () => done('retry', 'brought-back'),
  );
  expect(await refusal('erase', 'brought-back', '--confirm', 'brought-back')).toContain(
    'Order brought-back was brought back while this command was at work: nothing more of it was erased.',
  );
  expect(await versionsOf(world, 'brought-back')).toEqual(expect.arrayContaining(before));
  const isAskedAgain = ({ generation, waitingFor }: OrderItem) => generation === 2 && waitingFor === 'signatures';
  await world.until('brought-back', isAskedAgain, { signing: false });
});

test('the sweep leaves a dismissed order alone, and removes its files when the days of the stage have passed', async () => {
  await submitAndAbort(world, 'swept');
  await done('dismiss', 'swept', ...REASON);
  world.clock.advanceTo(world.clock.now() + DAY);
  // It publishes status.json, which a person has no right to write.
  await runSweep(world);
  const before = await versionsOf(world, 'swept');
  world.clock.advanceTo(world.clock.now() + 89 * DAY);
  await runSweep(world);
  expect(await world.executions('swept')).toHaveLength(1);
  expect(await versionsOf(world, 'swept')).toEqual(before);
  world.clock.advanceTo(world.clock.now() + 2 * DAY);
  await runSweep(world);
  expect(await filesOf('swept')).toEqual(['erased.json']);
});
