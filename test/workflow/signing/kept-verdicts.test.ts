import { makeSigner } from '@business-loan-orders/detached-signatures/certificates';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { KILLED, signing } from '../../helpers/faults.ts';
import { functionEnvironment } from '../../helpers/function-environment.ts';
import { NO_OFFERS, openWorld, SIGNATURES_AT_ONCE } from '../../helpers/open-world.ts';
import { filesToSign, putSignature, rejection, signed, signedByGost } from '../../helpers/signatures.ts';
import { DAY } from '../../helpers/world.ts';

const world = await openWorld({ settings: { ...SIGNATURES_AT_ONCE, ...NO_OFFERS, documentsToSign: 3 } });

let reads: Record<string, number>;
let onRead = () => {};
beforeEach(() => {
  [reads, onRead] = [{}, () => {}];
  world.wrappers.requestWrapper = async ({ service, operation, path }) => {
    const [, fileId] = /\/to-sign\/([^?]+)\?/.exec(path) ?? [];
    if (service !== 'S3' || operation !== 'GET' || fileId === undefined) return undefined;
    reads[fileId] = (reads[fileId] ?? 0) + 1;
    onRead();
    return undefined;
  };
});

async function sign(orderRef: string, fileIds: string[], make = signedByGost): Promise<void> {
  for (const fileId of fileIds) await putSignature(world, orderRef, fileId, await make(world, orderRef, fileId));
}

/** Judges the signatures in this process, as a function to which `left` milliseconds are left, one value for each question. */
async function judgeHere(orderRef: string) {
  for (const [name, value] of Object.entries(functionEnvironment(world, 'await-signatures'))) vi.stubEnv(name, value);
  onTestFinished(() => void [vi.useRealTimers(), vi.unstubAllEnvs()]);
  vi.useFakeTimers({ toFake: ['Date'], now: world.clock.now() });
  vi.resetModules();
  const { lambdaHandler } = await import('../../../core/log.ts');
  const { judgeArrived } = await import('../../../core/signing/signatures.ts');
  const { findWaitingOrder } = await import('../../../core/order/waits.ts');
  const handler = lambdaHandler(async () => judgeArrived((await findWaitingOrder(orderRef)) ?? expect.fail()));
  return (left: number[]) => {
    const [last = 0] = left.slice(-1);
    return handler({}, { getRemainingTimeInMillis: () => left.shift() ?? last } as never);
  };
}

test('each Streebog digest is computed once per order, also after a run that was killed between two of them', async () => {
  const kill = new AbortController();
  onRead = () => Object.keys(reads).length === 2 && kill.abort();
  let runs = 0;
  world.wrappers.invokeWrapper = async (name, event, invoke) => {
    if (!name.endsWith('await-signatures')) return invoke();
    runs += 1;
    return invoke(event, runs === 1 ? kill.signal : undefined);
  };
  await world.submit('killed');
  const { orderId = '' } = await world.until('killed', (order) => order.orderId !== undefined);
  const { generatedDocuments } = await world.untilAtService(orderId, (order) => order.generatedDocuments.length > 2);
  await sign(
    'killed',
    generatedDocuments.map(({ fileId }) => fileId),
  );
  expect(await world.untilEnd('killed', { signing: false })).toMatchObject({ status: 'CLOSED', generation: 1 });
  expect(runs).toBe(2);
  expect(Object.values(reads).sort()).toEqual([1, 1, 2]);
});

test('a run without enough time ends with what it has judged, the next one continues, and a day later only verdicts are made again', async () => {
  await world.submitToSign('divided');
  const fileIds = await filesToSign(world, 'divided');
  world.wrappers.invokeWrapper = async () => KILLED;
  await sign('divided', fileIds);
  const judge = await judgeHere('divided');
  await expect(judge([150_000, 150_000, 60_000])).rejects.toThrow('the next run continues');
  expect(Object.values(reads)).toEqual([1, 1]);
  const judged = [...(await judge([150_000, 60_000])).values()];
  expect(judged.map(({ passed }) => passed)).toEqual([true, true, true]);
  expect(Object.values(reads)).toEqual([1, 1, 1]);
  vi.setSystemTime(Date.now() + DAY);
  await expect(judge([60_000])).rejects.toThrow('the next run continues');
  expect((await judge([150_000])).size).toBe(3);
  await putSignature(world, 'divided', fileIds[0] ?? '', 'another version');
  expect((await judge([150_000])).get(fileIds[0] ?? '')).toMatchObject({ passed: false });
  expect(Object.values(reads)).toEqual([1, 1, 1]);
});

test('a verdict that is kept sends no signature whose certificate has expired since, and all are judged anew', async () => {
  await world.submitToSign('expired');
  const [notBefore, notAfter] = [-DAY, 300_000].map((at) => new Date(world.clock.now() + at)) as [Date, Date];
  const fileIds = await filesToSign(world, 'expired');
  const expires = makeSigner('p-256', { validity: { notBefore, notAfter } });
  let isFirst = true;
  world.wrappers.invokeWrapper = async (functionName, _event, invoke) => {
    if (!functionName.endsWith('upload-signature')) return invoke();
    // The first refusal ends the Map, before the others are sent.
    if (!isFirst) return KILLED;
    isFirst = false;
    world.clock.advanceTo(notAfter.getTime() + 1_000);
    return invoke();
  };
  await sign('expired', fileIds, (...of) => signed(...of, expires));
  const reasons = () => Promise.all(fileIds.map((fileId) => rejection(world, 'expired', fileId)));
  const areAllThere = async () => (await reasons()).every((reason) => reason?.includes('it expired at'));
  await world.until('expired', areAllThere, { signing: false, limit: DAY / 4 });
  expect(await world.calls('expired', signing)).toEqual([]);
  world.wrappers.invokeWrapper = undefined;
  await sign('expired', fileIds);
  expect(await world.untilEnd('expired', { signing: false })).toMatchObject({ status: 'CLOSED', generation: 1 });
});
