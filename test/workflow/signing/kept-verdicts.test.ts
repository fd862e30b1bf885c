import { makeSigner } from '@business-loan-orders/detached-signatures/certificates';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { KILLED, signing } from '../../helpers/faults.ts';
import { functionEnvironment } from '../../helpers/function-environment.ts';
import { NO_OFFERS, openWorld, SIGNATURES_AT_ONCE } from '../../helpers/open-world.ts';
import { beforeUpload, filesToSign, putSignature, rejection, signed, signedByGost } from '../../helpers/signatures.ts';
import { DAY, waitsForSignatures } from '../../helpers/world.ts';

const world = await openWorld({ settings: { ...SIGNATURES_AT_ONCE, ...NO_OFFERS, documentsToSign: 3 } });

let reads: Record<string, number>;
/** Runs at the read of this number. */
let atRead: [number: number, act: () => void] | undefined;
beforeEach(() => {
  [reads, atRead] = [{}, undefined];
  world.wrappers.requestWrapper = async ({ service, operation, path }) => {
    const [, fileId] = /\/to-sign\/([^?]+)\?/.exec(path) ?? [];
    if (service !== 'S3' || operation !== 'GET' || fileId === undefined) return undefined;
    reads[fileId] = (reads[fileId] ?? 0) + 1;
    if (Object.values(reads).reduce((one, other) => one + other) === atRead?.[0]) atRead[1]();
    return undefined;
  };
});

/** Puts GOST signatures of all documents into intake before the order waits for them. */
async function signEarly(orderRef: string): Promise<string[]> {
  await world.submit(orderRef);
  const { orderId = '' } = await world.until(orderRef, (order) => order.orderId !== undefined);
  const { generatedDocuments } = await world.untilAtService(orderId, (order) => order.generatedDocuments.length > 2);
  const fileIds = generatedDocuments.map(({ fileId }) => fileId);
  for (const fileId of fileIds)
    await putSignature(world, orderRef, fileId, await signedByGost(world, orderRef, fileId));
  return fileIds;
}

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

/** Judges the signatures in this process, as a function to which `left` milliseconds are left, one value for each question. */
async function judgeHere(orderRef: string) {
  for (const [name, value] of Object.entries(functionEnvironment(world, 'await-signatures'))) vi.stubEnv(name, value);
  vi.useFakeTimers({ toFake: ['Date'], now: world.clock.now() });
  vi.resetModules();
  const { lambdaHandler } = await import('../../../core/log.ts');
  const { judgeArrived } = await import('../../../core/signing/signatures.ts');
  const { findWaitingOrder } = await import('../../../core/order/waits.ts');
  const handler = lambdaHandler(async () => {
    const order = await findWaitingOrder(orderRef);
    return judgeArrived(order ?? expect.fail());
  });
  return (left: number[]) => {
    const [last = 0] = left.slice(-1);
    return handler({}, { getRemainingTimeInMillis: () => left.shift() ?? last } as never);
  };
}

test('each Streebog digest is computed once per order, also after a run that was killed between two of them', async () => {
  const kill = new AbortController();
  atRead = [2, () => kill.abort()];
  let runs = 0;
  world.wrappers.invokeWrapper = async (name, event, invoke) => {
    if (!name.endsWith('await-signatures')) return invoke();
    runs += 1;
    return invoke(event, kill.signal.aborted ? undefined : kill.signal);
  };
  const fileIds = await signEarly('killed');
  expect(await world.untilEnd('killed', { signing: false })).toMatchObject({ status: 'CLOSED', generation: 1 });
  expect(runs).toBe(2);
  // The gate checks each signature again before it is sent, with the digest of the record.
  expect(fileIds.map((fileId) => reads[fileId]).sort()).toEqual([1, 1, 2]);
});

test('a run without enough time ends with what it has judged, the next one continues, and an hour later only verdicts are made again', async () => {
  await world.submitToSign('divided');
  const documents = await world.documentsToSign('divided');
  const fileIds = documents.map(({ fileId }) => fileId);
  world.wrappers.invokeWrapper = async () => KILLED;
  for (const fileId of fileIds)
    await putSignature(world, 'divided', fileId, await signedByGost(world, 'divided', fileId));
  const judge = await judgeHere('divided');
  await expect(judge([150_000, 150_000, 60_000])).rejects.toThrow('the next run continues');
  expect(Object.values(reads)).toEqual([1, 1]);
  const judged = await judge([150_000]);
  expect(fileIds.map((fileId) => judged.get(fileId)?.passed)).toEqual([true, true, true]);
  expect(judged.get(fileIds[0] ?? '')).toMatchObject({ signers: [] });
  expect(Object.values(reads)).toEqual([1, 1, 1]);
  vi.setSystemTime(Date.now() + 3_600_000);
  await expect(judge([60_000])).rejects.toThrow('the next run continues');
  expect((await judge([150_000])).size).toBe(3);
  await putSignature(world, 'divided', fileIds[0] ?? '', 'another version');
  expect((await judge([150_000])).get(fileIds[0] ?? '')).toMatchObject({ passed: false });
  expect(Object.values(reads)).toEqual([1, 1, 1]);
});

test('a verdict that is kept sends no signature whose certificate has expired since, and the order waits for another', async () => {
  await world.submitToSign('expired');
  const [notBefore, notAfter] = [-DAY, 5 * 60_000].map((after) => new Date(world.clock.now() + after)) as [Date, Date];
  const fileIds = await filesToSign(world, 'expired');
  const expires = makeSigner('p-256', { validity: { notBefore, notAfter } });
  beforeUpload(world, async () => world.clock.advanceTo(notAfter.getTime() + 1_000));
  for (const fileId of fileIds)
    await putSignature(world, 'expired', fileId, await signed(world, 'expired', fileId, expires));
  await world.until('expired', (order) => order.notBefore.readAt !== undefined && waitsForSignatures(order), {
    signing: false,
  });
  await world.aws.settle();
  for (const fileId of fileIds) expect(await rejection(world, 'expired', fileId)).toContain('it expired at');
  expect(await world.calls('expired', signing)).toEqual([]);
  for (const fileId of fileIds) await putSignature(world, 'expired', fileId, await signed(world, 'expired', fileId));
  expect(await world.untilEnd('expired', { signing: false })).toMatchObject({ status: 'CLOSED', generation: 1 });
});
