import { afterEach, expect, test } from 'vitest';
import type { OrderItem } from '../../../core/order/order-item.ts';
import { changePause, commandsIn, inItsTime } from '../../helpers/commands-in.ts';
import { confirming, creating, inject, signing, uploading } from '../../helpers/faults.ts';
import { handingOverAfter } from '../../helpers/hand-over.ts';
import { choicesOf, decide } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { filesToSign, orderAtService, putSignature, signed } from '../../helpers/signatures.ts';
import { DAY, waitsForSignatures } from '../../helpers/world.ts';

const HOUR = 3_600_000;
const DOCUMENTS = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => `${name}.pdf`);

const world = await openWorld({
  settings: { pollAfterSeconds: 60, bankSeconds: 600 },
  // Few enough that a long pause needs more than one execution.
  invokeWrapper: handingOverAfter(40),
});
const { simulator } = world;
afterEach(() => changePause(world, 'resume'));

async function hold(milliseconds = 3 * HOUR): Promise<void> {
  await world.aws.settle();
  const before = simulator.calls().length;
  await world.pass(milliseconds);
  expect(simulator.calls()).toHaveLength(before);
}

async function during(act: () => Promise<void>, goesOn: (order: OrderItem) => boolean, milliseconds?: number) {
  await changePause(world, 'pause');
  await act();
  await hold(milliseconds);
  expect(await world.record('paused')).not.toHaveProperty('failure');
  await changePause(world, 'resume');
  await world.until('paused', goesOn, { signing: false });
}

test('an order whose stage is paused again and again makes no call meanwhile, and does all once', async () => {
  const submitted = async () => {
    await world.submit('paused', { documents: DOCUMENTS, offers: { choose: 'manual' } });
    await world.pass(HOUR);
    expect(await world.record('paused')).toMatchObject({ status: 'RECEIVED', waitingFor: 'service' });
    expect(await world.stagedJson('paused', 'status.json')).toMatchObject({ waitingFor: 'service' });
  };
  const first = new Promise<void>((resolve) => {
    inject(simulator, 'before', uploading, async () => {
      await changePause(world, 'pause');
      resolve();
    });
  });
  await during(submitted, ({ status }) => status === 'WAITING_FOR_DOCUMENTS');
  await first;
  await hold();
  expect(simulator.calls().filter(uploading).length).toBeLessThan(DOCUMENTS.length);
  await changePause(world, 'resume');
  await world.until('paused', waitsForSignatures, { signing: false });
  const sign = async () => {
    for (const fileId of await filesToSign(world, 'paused'))
      await putSignature(world, 'paused', fileId, await signed(world, 'paused', fileId));
  };
  await during(sign, ({ waitingFor }) => waitingFor === 'decision');
  const choices = choicesOf(await orderAtService(world, 'paused'));
  await during(
    () => decide(world, 'paused', choices.slice(0, 2)),
    ({ status }) => status === 'OFFERS_APPROVED',
  );
  // Nobody needs to act, however long it takes.
  await during(
    async () => undefined,
    ({ status }) => status === 'CLOSED',
    DAY,
  );
  expect((await world.record('paused'))?.generation).toBeGreaterThan(2);
  const made = [creating, uploading, signing, confirming].map((matches) => world.calls('paused', matches));
  expect((await Promise.all(made)).map(({ length }) => length)).toEqual([1, DOCUMENTS.length, 1, 2]);
});

test('one order goes on in a pause if an operator lets it, until its execution ends, and the others wait', async () => {
  const command = (...args: string[]) => inItsTime(world, () => commandsIn(world).run(...args));
  // Handing over would end the execution.
  world.wrappers.invokeWrapper = undefined;
  const calls = async (orderRef: string) => (await world.calls(orderRef)).length;
  for (const orderRef of ['first', 'other'])
    await world.submitUntil(orderRef, ({ status }) => status === 'IN_WORK', { offers: { choose: 'manual' } });
  expect((await command('retry', 'first', '--while-paused')).stderr).toBe(
    'The stage is not paused: nothing was started. Retry without --while-paused.\n',
  );
  await changePause(world, 'pause');
  await hold(HOUR);
  const others = await calls('other');
  expect(await command('retry', 'first', '--while-paused')).toMatchObject({ code: 0 });
  await world.until('first', ({ waitingFor }) => waitingFor === 'decision');
  expect(await calls('other')).toBe(others);
  // The permission ended with its execution. One that has stopped is started with it.
  await world.abort('first');
  await world.startNext('first');
  await hold(HOUR);
  await world.abort('first');
  const before = await calls('first');
  expect((await command('retry', 'first', '--while-paused')).stdout).toMatch(
    /^Ended waits: pause\.\nExecution first-3 was started/,
  );
  await world.until('first', async ({ generation }) => generation === 3 && (await calls('first')) > before);
  expect(await calls('other')).toBe(others);
});
