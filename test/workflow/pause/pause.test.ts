import { afterEach, expect, test } from 'vitest';
import type { OrderItem } from '../../../core/order/order-item.ts';
import { changePause } from '../../helpers/commands-in.ts';
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

/** Lets time pass in the pause, in which no call may come, token requests included. What is under way ends before. */
async function hold(milliseconds = 3 * HOUR): Promise<void> {
  await world.aws.settle();
  const before = simulator.calls().length;
  await world.pass(milliseconds);
  expect(simulator.calls()).toHaveLength(before);
}

/** Pauses the stage, does what people do meanwhile, resumes it, and lets time pass until the order goes on as it should. */
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
