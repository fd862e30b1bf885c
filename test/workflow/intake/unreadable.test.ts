import { PutObjectCommand, type PutObjectCommandInput } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { decide, untilOffers } from '../../helpers/offers.ts';
import { NO_SIGNATURES, openWorld, SIGNATURES_AT_ONCE } from '../../helpers/open-world.ts';
import { orderPackage } from '../../helpers/packages.ts';
import { waitsForSignatures } from '../../helpers/world.ts';

const world = await openWorld({ settings: NO_SIGNATURES });

const WAYS: [string, Partial<PutObjectCommandInput>][] = [
  ['archived', { StorageClass: 'DEEP_ARCHIVE' }],
  ['ownKey', { SSECustomerAlgorithm: 'AES256', SSECustomerKey: 'x'.repeat(32) }],
  ['otherKey', { ServerSideEncryption: 'aws:kms', SSEKMSKeyId: 'arn:aws:kms:us-east-1:999999999999:key/other' }],
];

/** Uploads a file in a way that functions cannot read, and lets its event take effect. */
async function put(orderRef: string, file: string, way: Partial<PutObjectCommandInput>, content: unknown = 'bytes') {
  const object = { Bucket: world.outputs.IntakeBucket, Key: `orders/${orderRef}/${file}` };
  await world.s3.send(new PutObjectCommand({ ...object, Body: JSON.stringify(content), ...way }));
  await world.aws.settle();
}

const failed = () => world.aws.logs().filter(({ line }) => line.includes('it comes again'));
const problem = (name: string, why: string) => ({ code: 'unreadable', params: { name, why } });

test.each(WAYS)(
  'a package with an unreadable document (%s) is answered before anything is created',
  async (why, way) => {
    const orderRef = `document-${why}`;
    await put(orderRef, 'documents/charter.pdf', way);
    await world.putAndSettle(orderRef, 'order.json', orderPackage());
    expect(await world.packageProblems(orderRef)).toMatchObject([problem('documents/charter.pdf', why)]);
    expect(await world.record(orderRef)).toBeUndefined();
    await world.put(orderRef, 'documents/charter.pdf', 'bytes');
    expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED' });
    await put(orderRef, 'documents/charter.pdf', way);
    expect(failed()).toEqual([]);
  },
);

test.each(WAYS)(
  'an unreadable order.json (%s) is answered at once, also when its order has started',
  async (why, way) => {
    const orderRef = `package-${why}`;
    await world.put(orderRef, 'documents/charter.pdf', 'bytes');
    await put(orderRef, 'order.json', way, orderPackage());
    await world.putAndSettle(orderRef, 'documents/other.pdf', 'bytes');
    expect(await world.packageProblems(orderRef)).toMatchObject([problem('order.json', why)]);
    await world.putAndSettle(orderRef, 'order.json', orderPackage());
    expect(await world.record(orderRef)).toBeDefined();
    await put(orderRef, 'order.json', way, orderPackage());
    expect(await world.packageProblems(orderRef)).toMatchObject([{ code: 'startedBefore' }]);
    expect(failed()).toEqual([]);
  },
);

test.each(WAYS)('an unreadable decision (%s) is rejected with the cause', async (why, way) => {
  const orderRef = `decision-${why}`;
  const { choices } = await untilOffers(world, orderRef);
  await put(orderRef, 'decision.json', way, { choices });
  expect(await world.stagedJson(orderRef, 'decision-rejected.json')).toMatchObject({
    problems: [problem('decision.json', why)],
  });
  expect(await world.told(orderRef, 'A decision was replaced or deleted before it was read')).toEqual([]);
  await decide(world, orderRef, choices);
  expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED' });
  expect(failed()).toEqual([]);
});

test.each(WAYS)(
  'an unreadable signature (%s) is rejected with the cause, and a readable one is sent',
  async (why, way) => {
    const orderRef = `signature-${why}`;
    Object.assign(world.simulator.settings, SIGNATURES_AT_ONCE);
    await world.submitToSign(orderRef);
    const [{ fileId = '' } = {}] = await world.documentsToSign(orderRef);
    await put(orderRef, `signatures/${fileId}.sig`, way);
    expect(await world.stagedJson(orderRef, `signatures-rejected/${fileId}.json`)).toMatchObject({
      code: 'unreadable',
    });
    expect(waitsForSignatures((await world.record(orderRef)) ?? { waitingFor: '' })).toBe(true);
    expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED' });
    expect(failed()).toEqual([]);
  },
);

test.each([
  ['documents/charter.pdf', 403, 'InvalidObjectState'],
  ['order.json?versionId', 400, 'KMS.DisabledException'],
])('%s that can no longer be read after the start stops the order for an operator', async (file, status, code) => {
  const orderRef = `later-${code}`;
  world.wrappers.requestWrapper = async ({ operation, path, accessKeyId }) =>
    operation === 'GET' && path.includes(file) && !/check-package|local$/.test(accessKeyId)
      ? { status, code }
      : undefined;
  expect(await world.submitToEnd(orderRef)).toMatchObject({
    waitingFor: 'operator',
    failure: { error: 'InvalidPackage', cause: expect.stringContaining('cannot be read') },
  });
  world.wrappers.requestWrapper = undefined;
  await world.startNext(orderRef);
  expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED' });
});
