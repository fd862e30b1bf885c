import { afterEach, expect, test } from 'vitest';
import { changePause } from '../../helpers/commands-in.ts';
import { confirming, creating, inject, signing, uploading } from '../../helpers/faults.ts';
import { decide, untilOffers } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';
import { filesToSign, putSignature, signed, submitToSign } from '../../helpers/signatures.ts';
import { DAY } from '../../helpers/world.ts';

const HOUR = 3_600_000;
const DOCUMENTS = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => `${name}.pdf`);

const world = await openWorld({ settings: { pollAfterSeconds: 60, bankSeconds: 1 } });
const { simulator } = world;
afterEach(() => changePause(world, 'resume'));

/** Pauses the stage, lets steps that are running end, and returns the number of calls so far, token requests included. */
async function pauseNow(): Promise<number> {
  await changePause(world, 'pause');
  await world.aws.settle();
  return simulator.calls().length;
}

/** Lets time pass, in which no call may come. Resumes the stage and drives the order to its end. */
async function holdAndResume(orderRef: string, callsBefore: number, milliseconds = 3 * HOUR): Promise<void> {
  await world.pass(milliseconds);
  expect(simulator.calls().length - callsBefore).toBe(0);
  expect(await world.record(orderRef)).not.toHaveProperty('failure');
  await changePause(world, 'resume');
  expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED' });
}

/** The order was created once, each document and signature was sent once, and two offers were confirmed. */
async function expectDoneOnce(orderRef: string, documents = 1): Promise<void> {
  const made = [creating, uploading, signing, confirming].map((matches) => world.calls(orderRef, matches));
  expect((await Promise.all(made)).map(({ length }) => length)).toEqual([1, documents, 1, 2]);
}

test('a package that comes while the stage is paused is recorded, and its order is created after the stage is resumed', async () => {
  const before = await pauseNow();
  await submit(world, 'before-creation');
  await world.pass(HOUR);
  expect(await world.record('before-creation')).toMatchObject({ status: 'RECEIVED', waitingFor: 'service' });
  expect(await world.stagedJson('before-creation', 'status.json')).toMatchObject({ waitingFor: 'service' });
  await holdAndResume('before-creation', before);
  await expectDoneOnce('before-creation');
});

test('an order whose stage is paused between two documents sends the others after that, each once', async () => {
  await submit(world, 'documents', { documents: DOCUMENTS });
  const sent = () => simulator.calls().filter(uploading).length;
  const first = new Promise<void>((resolve) => {
    inject(simulator, 'before', uploading, async () => {
      await changePause(world, 'pause');
      resolve();
    });
  });
  const driven = world.until('documents', ({ status }) => status === 'WAITING_FOR_DOCUMENTS', { signing: false });
  await Promise.all([first, driven]);
  const before = await pauseNow();
  expect(sent()).toBeLessThan(DOCUMENTS.length);
  await holdAndResume('documents', before);
  await expectDoneOnce('documents', DOCUMENTS.length);
});

test('signatures that come while the stage is paused are taken, and sent after the stage is resumed', async () => {
  await submitToSign(world, 'signatures');
  const before = await pauseNow();
  for (const fileId of await filesToSign(world, 'signatures')) {
    await putSignature(world, 'signatures', fileId, await signed(world, 'signatures', fileId));
  }
  await holdAndResume('signatures', before);
  await expectDoneOnce('signatures');
});

test('an order is not polled while the stage is paused for three days, and nobody needs to act', async () => {
  simulator.settings.bankSeconds = 600;
  await submit(world, 'polling');
  await world.until('polling', ({ status }) => status === 'OFFERS_APPROVED');
  const before = await pauseNow();
  await holdAndResume('polling', before, 3 * DAY);
  await expectDoneOnce('polling');
});

test('a decision that comes while the stage is paused is confirmed after the stage is resumed', async () => {
  const { choices } = await untilOffers(world, 'confirm');
  const before = await pauseNow();
  await decide(world, 'confirm', choices.slice(0, 2));
  await holdAndResume('confirm', before);
  await expectDoneOnce('confirm');
});
