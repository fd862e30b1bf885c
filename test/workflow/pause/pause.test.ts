import { afterEach, expect, test } from 'vitest';
import type { OrderItem } from '../../../functions/shared/order/order-item.ts';
import { confirming, creating, inject, loseAnswer, reading, signing, uploading } from '../../helpers/faults.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { orderPackage, submit } from '../../helpers/packages.ts';
import { changePause } from '../../helpers/pause-stage.ts';
import { filesToSign, putSignature, signed } from '../../helpers/signatures.ts';
import { DAY } from '../../helpers/world.ts';

const HOUR = 3_600_000;
const DOCUMENTS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((name) => `${name}.pdf`);

const world = await openWorld();
const { simulator } = world;
afterEach(() => changePause(world, 'resume'));

async function letPass(milliseconds: number): Promise<void> {
  const at = world.clock.now() + milliseconds;
  await world.aws.runUntil(() => world.clock.now() >= at);
  await world.aws.settle();
}

/** Pauses the stage, lets steps that are running end, and returns the number of calls so far, token requests included. */
async function pauseNow(): Promise<number> {
  await changePause(world, 'pause');
  await world.aws.settle();
  return simulator.calls().length;
}

/** Every order is created, accepted and confirmed as often as its package asks for, and each file is sent once. */
async function expectDoneOnce(orderRef: string, documents: number): Promise<void> {
  const calls = await world.calls(orderRef);
  const made = [creating, uploading, signing, confirming].map((matches) => calls.filter(matches).length);
  expect(made).toEqual([1, documents, 1, 2]);
}

test('an order whose package comes while the stage is paused is recorded, and created after it is resumed', async () => {
  const before = await pauseNow();
  await submit(world, 'before-creation');
  await letPass(3 * HOUR);
  expect(simulator.calls()).toHaveLength(before);
  expect(await world.record('before-creation')).toMatchObject({ status: 'RECEIVED', waitingFor: 'service' });
  expect(await world.stagedJson('before-creation', 'status.json')).toMatchObject({ waitingFor: 'service' });
  await changePause(world, 'resume');
  expect(await world.untilEnd('before-creation')).toMatchObject({ status: 'CLOSED', generation: 1 });
  await expectDoneOnce('before-creation', 1);
});
