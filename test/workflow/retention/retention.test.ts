import type { AwsRequest, RequestFault } from '@business-loan-orders/embedded-aws';
import { beforeEach, expect, test } from 'vitest';
import { MAIN_PATH, NO_OFFERS, OFFERS_AT_ONCE, openWorld, runSweep } from '../../helpers/open-world.ts';
import { labelled, SECRET_LABELS, secretWords } from '../../helpers/packages.ts';
import { submitAndAbort } from '../../helpers/signatures.ts';
import { everythingOf, versionsOf } from '../../helpers/stored-bytes.ts';
import { DAY } from '../../helpers/world.ts';

const world = await openWorld({ settings: OFFERS_AT_ONCE, environment: labelled() });
beforeEach(() => world.forget(OFFERS_AT_ONCE));

const breakSweep = (fault: (request: AwsRequest) => RequestFault | undefined) => {
  world.wrappers.requestWrapper = async (request) =>
    request.accessKeyId.endsWith('-sweep-orders') ? fault(request) : undefined;
};

const sweep = () => runSweep(world);
/** Lets days pass. Nothing of an order that is over happens in them. */
const passDays = (days: number) => world.clock.advanceTo(world.clock.now() + days * DAY);
const files = async (orderRef: string) => [...new Set((await versionsOf(world, orderRef)).map(({ file }) => file))];
const told = async (orderRef: string) => (await world.told(orderRef)).map(({ what }) => what);

/** The record of an order on hold, at which the next sweep looks for the last time. */
async function putOnHold(orderRef: string): Promise<void> {
  const facts = { status: 'CLOSED', legalHold: { by: 'test' }, openFor: 'files-to-remove' };
  await world.rewrite(orderRef, { ...facts, changedAt: new Date(world.clock.now()).toISOString() });
}

async function end(orderRef: string, scenario?: string): Promise<void> {
  await world.put(orderRef, 'documents/charter.pdf', `first bytes of ${orderRef}`);
  await world.submitToEnd(orderRef, { ...(scenario && { scenario }) });
  await world.putAndSettle(orderRef, 'decision.json', { choices: [] });
  await world.removeFromIntake(orderRef, 'decision.json');
}

test('an order that is over loses every file after documentsDays and all but references after recordDays, and does not start again', async () => {
  Object.assign(world.simulator.settings, MAIN_PATH);
  const orderRef = 'ended';
  await end(orderRef);
  await submitAndAbort(world, 'waits');
  const ofWaiting = await versionsOf(world, 'waits');
  const before = await versionsOf(world, orderRef);
  expect(before).toContainEqual(expect.objectContaining({ file: 'decision.json', isDeleteMarker: true }));
  expect(before.filter(({ file }) => file === 'documents/charter.pdf')).toHaveLength(2);
  passDays(89);
  expect(await sweep()).toMatchObject({ emptied: 0 });
  expect(await versionsOf(world, orderRef)).toEqual(before);
  passDays(1.1);
  expect(await sweep()).toMatchObject({ emptied: 1, reduced: 0, notRemoved: 0 });
  expect(await files(orderRef)).toEqual(['erased.json']);
  const { orderId, generation, packageVersionId, changedAt, ...rest } = (await world.record(orderRef)) ?? {};
  expect(rest).toMatchObject({
    status: 'CLOSED',
    documents: [{ file: 'documents/charter.pdf' }],
    labels: SECRET_LABELS,
    removal: { files: { by: 'retention', count: before.length, endedAt: expect.any(String) } },
  });
  expect(await told(orderRef)).toContain('Files removed');
  passDays(273);
  expect(await sweep()).toMatchObject({ emptied: 0, reduced: 0 });
  passDays(2);
  expect(await sweep()).toMatchObject({ emptied: 0, reduced: 1 });
  expect(await told(orderRef)).toEqual(['Files removed', 'Record reduced']);
  const record = await world.record(orderRef);
  expect(record).toMatchObject({ status: 'CLOSED', orderId, generation, packageVersionId, changedAt, documents: [] });
  expect(record?.openFor).toBeUndefined();
  expect(record?.listedUnder).toBe(changedAt?.slice(0, 7));
  expect(Object.keys(record?.report?.seconds ?? {})).toEqual(expect.arrayContaining(['RECEIVED', 'OFFERS_AVAILABLE']));
  expect(record?.report).toMatchObject({ taken: true, sum: { amount: SECRET_LABELS.amount, currency: '' } });
  const left = await everythingOf(world, orderRef);
  for (const word of [...Object.values(secretWords), 'charter', 'bytes of', 'CHARTER', 'company-1', 'Bank'])
    expect(left).not.toContain(word);
  expect(await world.stagedJson(orderRef, 'erased.json')).toMatchObject({
    orderRef,
    files: { by: 'retention' },
    record: { by: 'retention', items: expect.any(Number) },
  });
  expect(await sweep()).toMatchObject({ emptied: 0, reduced: 0 });
  await world.submit(orderRef);
  await world.aws.settle();
  expect(world.simulator.orders()).toHaveLength(2);
  expect(await world.packageProblems(orderRef)).toMatchObject([{ path: '$' }]);
  // One that waits for an operator is kept, however old it is.
  expect(await versionsOf(world, 'waits')).toEqual(ofWaiting);
});

const deletesObject = ({ service, operation }: AwsRequest) => service === 'S3' && operation === 'DELETE';
const writesProof = ({ operation, path }: AwsRequest) => operation === 'PUT' && path.includes('erased.json');
const removesItem = ({ operation }: AwsRequest) => operation === 'DeleteItem';
const recordsEnd = ({ operation, body }: AwsRequest) => operation === 'PutItem' && body.includes('"endedAt"');

test('while a part of the removal fails, the record says that it is incomplete, and the next sweep goes on', async () => {
  await end('broken');
  const before = await versionsOf(world, 'broken');
  const items = (await world.items('broken')).length;
  passDays(400);
  for (const [matches, afterCalls] of [
    [deletesObject, 5],
    [writesProof, 0],
    [removesItem, 3],
    [recordsEnd, 0],
  ] as const) {
    let calls = 0;
    breakSweep((request) => {
      calls += matches(request) ? 1 : 0;
      return matches(request) && calls > afterCalls ? { status: 500, code: 'InternalError' } : undefined;
    });
    expect(await sweep()).not.toMatchObject({ notRemoved: 0 });
    expect(calls).toBeGreaterThan(afterCalls);
    const { files: ofFiles, record: ofRecord } = (await world.record('broken'))?.removal ?? {};
    expect(ofFiles).toMatchObject({ count: before.length });
    expect(ofFiles?.endedAt !== undefined && ofRecord?.endedAt !== undefined).toBe(false);
  }
  world.wrappers.requestWrapper = undefined;
  await sweep();
  expect(await files('broken')).toEqual(['erased.json']);
  expect((await world.record('broken'))?.removal).toEqual({
    files: expect.objectContaining({ count: before.length, endedAt: expect.any(String) }),
    record: expect.objectContaining({ endedAt: expect.any(String) }),
  });
  expect((await world.items('broken')).length).toBeLessThan(items);
  expect(new Set(await told('broken'))).toEqual(new Set(['Files removed', 'Record reduced']));
});

test('one sweep passes orders on hold, and one that cannot be removed does not keep the others', async () => {
  Object.assign(world.simulator.settings, NO_OFFERS);
  for (let number = 0; number < 20; number += 1) await putOnHold(`on-hold-${number}`);
  await end('stuck');
  await end('free');
  await end('invalid', 'validation-fails-after-documents');
  expect(await world.record('invalid')).toMatchObject({ status: 'VALIDATION_FAILED' });
  passDays(100);
  breakSweep(({ path, operation }) =>
    operation === 'DELETE' && path.includes('/orders/stuck/') ? { status: 403, code: 'AccessDenied' } : undefined,
  );
  expect(await sweep()).toMatchObject({ emptied: 2, notRemoved: 1 });
  for (const removed of ['free', 'invalid']) expect(await files(removed)).toEqual(['erased.json']);
  expect(await files('stuck')).toContain('order.json');
});
