import { PutObjectCommand, type PutObjectCommandInput } from '@aws-sdk/client-s3';
import { expect, test, vi } from 'vitest';
import { uploading } from '../../helpers/faults.ts';
import { watchMetrics } from '../../helpers/metrics.ts';
import { decide } from '../../helpers/offers.ts';
import { MAIN_PATH, NO_SIGNATURES, openWorld, runSweep, SIGNATURES_AT_ONCE } from '../../helpers/open-world.ts';
import { orderPackage } from '../../helpers/packages.ts';
import { listenToEvents } from '../../helpers/told-events.ts';
import { waitsForSignatures } from '../../helpers/world.ts';

const world = await openWorld({ settings: NO_SIGNATURES });
const MINUTES = 60_000;

test.each([
  [undefined, 'application/pdf'],
  ['application/octet-stream', 'application/pdf'],
  ['Application/Octet-Stream; x=y', 'application/pdf'],
  ['application/x-www-form-urlencoded', 'application/pdf'],
  ['image/png', 'image/png'],
])('a document that was uploaded as %s is sent as %s', async (ContentType, sent) => {
  const orderRef = `type-${String(ContentType).replaceAll(/\W/g, '-')}`;
  const object = { Bucket: world.outputs.IntakeBucket, Key: `orders/${orderRef}/documents/charter.pdf`, Body: 'bytes' };
  await world.s3.send(new PutObjectCommand({ ...object, ContentType, ACL: 'bucket-owner-full-control' }));
  await world.put(orderRef, 'order.json', orderPackage());
  await world.untilEnd(orderRef);
  const [call] = await world.calls(orderRef, uploading);
  expect(call?.requestBody).toMatchObject({ files: [{ contentType: sent }] });
});

test('an order.json that begins with a byte order mark is signed as any other', async () => {
  Object.assign(world.simulator.settings, SIGNATURES_AT_ONCE);
  await world.put('marked', 'documents/charter.pdf', 'bytes');
  await world.put('marked', 'order.json', `\uFEFF${JSON.stringify(orderPackage())}`);
  expect(await world.untilEnd('marked')).toMatchObject({ status: 'CLOSED' });
});

test('files of systems and editors get one quiet line, and no answer, but an order may have such a name', async () => {
  for (const orderRef of ['tidy', 'Thumbs.db']) await world.submit(orderRef);
  await world.aws.settle();
  expect(await world.record('Thumbs.db')).toBeDefined();
  const told = listenToEvents(world);
  const logged = world.aws.logs().length;
  const keys = ['.DS_Store', 'orders/__MACOSX/order.json', 'orders/new/.git/HEAD', 'orders/new/documents/._a.pdf'];
  keys.push('orders/tidy/documents/Thumbs.db', 'orders/tidy/desktop.ini', 'orders/tidy/documents/~$charter.docx');
  keys.push('orders/tidy/signatures/.DS_Store', 'orders/tidy/signatures/._file.sig', 'orders/new/signatures/._a.sig');
  for (const key of keys) await world.uploadAndSettle(key);
  const lines = world.aws
    .logs()
    .slice(logged)
    .filter(({ stream }) => stream !== 'platform');
  expect(lines.map(({ line }) => line).filter((line) => !line.includes('"INFO"'))).toEqual([]);
  expect(lines.filter(({ line }) => line.includes('of a system or an editor'))).toHaveLength(keys.length);
  expect(await world.allAnswers()).toEqual([]);
  expect(await world.stagedKeys('tidy')).not.toContainEqual(expect.stringContaining('rejected'));
  expect(told).toEqual([]);
});

test('an order.json that is empty or cut, and replaced, is told to nobody, and its answers go', async () => {
  const metrics = watchMetrics(world);
  const told = listenToEvents(world);
  const whole = JSON.stringify(orderPackage());
  await world.put('half', 'documents/charter.pdf', 'bytes');
  await world.putAndSettle('half', 'order.json', '');
  expect(await world.packageProblems('half')).toMatchObject([{ code: 'notJson' }]);
  // The good one starts the order before the next answer is stored.
  world.wrappers.requestWrapper = async ({ operation, path }) => {
    if (operation !== 'PUT' || !path.includes('rejected/')) return undefined;
    world.wrappers.requestWrapper = undefined;
    await world.put('half', 'order.json', whole);
    await vi.waitFor(async () => expect(await world.record('half')).toBeDefined(), 10_000);
    return undefined;
  };
  await world.putAndSettle('half', 'order.json', whole.slice(0, whole.length / 2));
  expect(await world.record('half')).toBeDefined();
  expect(await world.allAnswers('orders/half/')).toEqual([]);
  world.clock.advanceTo(world.clock.now() + 10 * MINUTES);
  await runSweep(world);
  expect(told.filter(({ type }) => type === 'Upload Rejected')).toEqual([]);
  expect(metrics.values('UploadsRejected', { upload: 'package' })).toEqual([]);
});

test('an order.json that stays cut is told by the sweep', async () => {
  const metrics = watchMetrics(world);
  const told = listenToEvents(world);
  await world.putAndSettle('cut', 'order.json', '{ "order":');
  world.clock.advanceTo(world.clock.now() + 10 * MINUTES);
  await runSweep(world);
  expect(told).toMatchObject([{ type: 'Upload Rejected', detail: { orderRef: 'cut' } }]);
  expect(metrics.values('UploadsRejected', { upload: 'package' })).toEqual([1]);
});

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
  Object.assign(world.simulator.settings, MAIN_PATH);
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
  const failure = { error: 'InvalidPackage', cause: expect.stringContaining('cannot be read') };
  expect(await world.submitToEnd(orderRef)).toMatchObject({ waitingFor: 'operator', failure });
  world.wrappers.requestWrapper = undefined;
  await world.startNext(orderRef);
  expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED' });
});
