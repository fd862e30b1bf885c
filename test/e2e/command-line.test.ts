import type { SimulatorHooks } from '@business-loan-orders/order-simulator';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { commandsIn } from '../helpers/commands-in.ts';
import { creating, inject, loseAnswer, loseRequest } from '../helpers/faults.ts';
import { MAIN_PATH, OFFERS_AT_ONCE, openWorld } from '../helpers/open-world.ts';
import { DAY } from '../helpers/world.ts';

const world = await openWorld({ settings: OFFERS_AT_ONCE });
let today = '';
/** All that a test does happens on one day of the virtual clock. */
beforeEach(async () => {
  await world.forget(OFFERS_AT_ONCE);
  world.clock.advanceTo(Math.ceil(world.clock.now() / DAY) * DAY);
  today = new Date(world.clock.now()).toISOString().slice(0, 10);
});

const { done, refusal } = commandsIn(world);

const intendedAt = (operation: { intendedAt: string }) => operation.intendedAt;
const creations = () => world.simulator.calls().filter(creating).length;

async function loseOrder(orderRef: string, when: keyof SimulatorHooks): Promise<string | undefined> {
  inject(world.simulator, when, creating, when === 'before' ? loseRequest : loseAnswer);
  await world.submitToEnd(orderRef);
  return world.simulator.orders().at(-1)?.orderId;
}

async function retryToEnd(orderRef: string) {
  await done('retry', orderRef);
  await world.aws.settle();
  return world.untilEnd(orderRef);
}

test('list shows the orders with the newest change first, and filters them by status and by whom they wait for', async () => {
  await world.submitToEnd('listed-closed');
  await world.submitToEnd('listed-failed', { scenario: 'validation-fails-after-documents' });
  vi.useFakeTimers({ toFake: ['Date'], now: world.clock.now() + 2 * DAY });
  onTestFinished(() => void vi.useRealTimers());
  const [counts, , headings, first, second] = (await done('list')).split('\n');
  expect(counts).toBe(
    'Waiting for: 0 operator, 0 signatures, 0 decision, 0 service. Over (the last; all: --since): 2.',
  );
  expect(headings).toMatch(/^ORDER +WAITING FOR +STATUS +UNCHANGED +FAILURE$/);
  expect(first).toMatch(/^listed-failed +nobody +VALIDATION_FAILED +\d+ d( \d+ h)? +ValidationFailed$/);
  expect(second).toMatch(/^listed-closed +nobody +CLOSED +\d+ d( \d+ h)? +-$/);
  const closed = JSON.parse(await done('list', '--status', 'CLOSED', '--json'));
  expect(closed).toEqual([expect.objectContaining({ orderRef: 'listed-closed', waitingFor: 'nobody', generation: 1 })]);
  expect(JSON.parse(await done('list', '--waiting-for', 'nobody', '--json'))).toHaveLength(2);
  expect(JSON.parse(await done('list', '--status', 'CLOSED', '--waiting-for', 'operator', '--json'))).toEqual([]);
  expect(await done('list', '--status', 'IN_WORK')).toBe('No matching orders.\n');
});

test('list --waiting-for reads the orders that wait for this party, not a whole index', async () => {
  const read: string[] = [];
  world.wrappers.requestWrapper = async ({ operation, body }) => {
    if (operation === 'Query' || operation === 'Scan') read.push(`${operation} ${JSON.parse(body).IndexName}`);
    return undefined;
  };
  onTestFinished(() => {
    world.wrappers.requestWrapper = undefined;
  });
  await done('list', '--waiting-for', 'operator', '--status', 'IN_WORK');
  await done('list', '--waiting-for', 'nobody', '--status', 'CLOSED');
  const open = Array(1 + 4).fill('Query byList');
  expect(read.sort()).toEqual([...open, ...Array(1 + 4 + 2).fill('Query byWaiting')]);
});

test('show prints the record, the executions, the operations and the timeline, but no task token', async () => {
  Object.assign(world.simulator.settings, MAIN_PATH);
  await world.submitToSign('shown');
  const { orderId } = (await world.record('shown')) ?? {};
  const text = await done('show', 'shown');
  expect(text).toMatch(/^Status +WAITING_FOR_SIGNATURE$/m);
  expect(text).toMatch(/^Waiting for +signatures$/m);
  expect(text).toMatch(new RegExp(`^Order id +${orderId}$`, 'm'));
  expect(text).toMatch(new RegExp(`^ {2}shown-1 +RUNNING +${today} \\S+Z +-$`, 'm'));
  expect(text).toMatch(/^ {2}create +done +1 /m);
  const json = await done('show', 'shown', '--json');
  const { operations, timeline, ...facts } = JSON.parse(json);
  expect(facts).toMatchObject({ orderRef: 'shown', orderId, documents: 1, executions: [{ status: 'RUNNING' }] });
  expect(facts).toMatchObject({ situation: 'running', canResolve: false, toSign: [{ hasSignature: false }] });
  // The clocks of functions may differ slightly in virtual time, so the sequence is not checked here.
  expect(operations.map(({ name }: { name: string }) => name.split('@')[0]).sort()).toEqual([
    'accept-documents#1',
    'create',
    'upload-document#1#0',
  ]);
  const happened = ['Package accepted', 'Order created', 'Accepted documents', 'Status WAITING_FOR_SIGNATURE'];
  expect(timeline.map(({ what }: { what: string }) => what)).toEqual(expect.arrayContaining(happened));
  for (const times of [timeline.map(({ at }: { at: string }) => at), operations.map(intendedAt)])
    expect(times).toEqual([...times].sort());
  const callback = (await world.items('shown')).find(({ item }) => item.startsWith('callback#signatures#'));
  expect(callback?.taskToken).toEqual(expect.any(String));
  expect(text + json).not.toContain(callback?.taskToken);
});

test('after a creation whose answer was lost, resolve --order-id and retry take the order to CLOSED without a second creation', async () => {
  const before = creations();
  const orderId = (await loseOrder('lost-answer', 'after')) ?? '';
  const shown = await done('show', 'lost-answer');
  expect(shown).toContain(`OutcomeUnknown at ${today}`);
  expect(shown).toContain('it is unknown whether the service has the order.');
  expect(shown).not.toContain('errorMessage');
  expect(await refusal('retry', 'lost-answer')).toContain('may or may not exist at the order service');
  expect(await done('resolve', 'lost-answer', '--order-id', orderId)).toBe(
    `Recorded: order lost-answer is ${orderId} at the order service. Continue with "loan-orders --endpoint ${world.aws.endpoint} retry lost-answer".\n`,
  );
  expect(await retryToEnd('lost-answer')).toMatchObject({ status: 'CLOSED', generation: 2, orderId });
  expect(await refusal('resolve', 'lost-answer', '--none', '--yes')).toContain(
    `Order lost-answer is ${orderId} at the order service`,
  );
  expect(creations()).toBe(before + 1);
  const { timeline } = JSON.parse(await done('show', 'lost-answer', '--json'));
  const lines = timeline.map(({ what }: { what: string }) => what);
  expect(lines).toContain('An operator says that the order was created');
  expect(lines).toContain('An operator asked for a retry');
});

test('after a creation that never reached the service, resolve --none and retry, which skips a generation that never claimed the order, create it once', async () => {
  const [before, orders] = [creations(), world.simulator.orders().length];
  await loseOrder('used-up', 'before');
  expect(world.simulator.orders()).toHaveLength(orders);
  expect(await done('resolve', 'used-up', '--none', '--yes')).toContain('was not created');
  await world.startUnclaimed('used-up');
  expect(await retryToEnd('used-up')).toMatchObject({ status: 'CLOSED', generation: 3 });
  expect(creations()).toBe(before + 2);
  expect(world.simulator.orders()).toHaveLength(orders + 1);
});
