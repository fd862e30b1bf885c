import { PutObjectCommand, type PutObjectCommandInput } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { decide } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { orderPackage } from '../../helpers/packages.ts';
import { waitsForSignatures } from '../../helpers/world.ts';

const world = await openWorld();

const WAYS: [string, Partial<PutObjectCommandInput>][] = [
  ['archived', { StorageClass: 'DEEP_ARCHIVE' }],
  ['ownKey', { SSECustomerAlgorithm: 'AES256', SSECustomerKey: 'x'.repeat(32) }],
  ['otherKey', { ServerSideEncryption: 'aws:kms', SSEKMSKeyId: 'arn:aws:kms:us-east-1:999999999999:key/other' }],
];

async function put(orderRef: string, file: string, way: Partial<PutObjectCommandInput>, content: unknown = 'bytes') {
  const object = { Bucket: world.outputs.IntakeBucket, Key: `orders/${orderRef}/${file}` };
  await world.s3.send(new PutObjectCommand({ ...object, Body: JSON.stringify(content), ...way }));
  await world.aws.settle();
}

const failed = () => world.aws.logs().filter(({ line }) => line.includes('it comes again'));
const problem = (name: string, why: string) => expect.objectContaining({ code: 'unreadable', params: { name, why } });
const problems = async (orderRef: string) => (await world.answers(orderRef)).flatMap((answer) => answer.problems);

test.each(WAYS)('what cannot be read (%s) is answered with the cause, and the order goes on', async (why, way) => {
  const orderRef = `order-${why}`;
  const content = orderPackage({ documents: ['desktop.ini'], offers: { choose: 'manual' } });
  await put(orderRef, 'documents/desktop.ini', way);
  await put(orderRef, 'order.json', way, content);
  await world.putAndSettle(orderRef, 'documents/other.pdf', 'bytes');
  expect(await problems(orderRef)).toEqual([problem('order.json', why)]);
  await world.putAndSettle(orderRef, 'order.json', content);
  expect(await problems(orderRef)).toContainEqual(problem('documents/desktop.ini', why));
  expect(await world.record(orderRef)).toBeUndefined();
  await world.put(orderRef, 'documents/desktop.ini', 'bytes');
  await world.until(orderRef, waitsForSignatures, { signing: false });

  await put(orderRef, 'order.json', way, content);
  expect(await world.packageProblems(orderRef)).toMatchObject([{ code: 'startedBefore' }]);
  await put(orderRef, 'documents/desktop.ini', way);
  expect(await problems(orderRef)).toContainEqual(problem('documents/desktop.ini', why));
  // The laptop's signer reads it.
  await world.put(orderRef, 'order.json', content);
  const [{ fileId = '' } = {}] = await world.documentsToSign(orderRef);
  await put(orderRef, `signatures/${fileId}.sig`, way);
  expect(await world.stagedJson(orderRef, `signatures-rejected/${fileId}.json`)).toMatchObject({ code: 'unreadable' });
  await world.until(orderRef, ({ waitingFor }) => waitingFor === 'decision');

  await put(orderRef, 'decision.json', way);
  const rejected = await world.stagedJson(orderRef, 'decision-rejected.json');
  expect(rejected).toMatchObject({ problems: [problem('decision.json', why)] });
  expect(await world.told(orderRef, 'A decision was replaced or deleted before it was read')).toEqual([]);
  await decide(world, orderRef, []);
  await world.aws.settle();
  expect(await world.told(orderRef, 'A decision arrived')).toHaveLength(1);
  expect(failed()).toEqual([]);
});

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
