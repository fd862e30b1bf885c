import { PutObjectCommand } from '@aws-sdk/client-s3';
import { expect, test, vi } from 'vitest';
import { uploading } from '../../helpers/faults.ts';
import { watchMetrics } from '../../helpers/metrics.ts';
import { NO_SIGNATURES, openWorld, runSweep, SIGNATURES_AT_ONCE } from '../../helpers/open-world.ts';
import { orderPackage } from '../../helpers/packages.ts';
import { listenToEvents } from '../../helpers/told-events.ts';

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
