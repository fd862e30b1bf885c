import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { GetObjectCommand, ListObjectVersionsCommand, NoSuchKey, PutObjectCommand } from '@aws-sdk/client-s3';
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { listRejected } from '../../../commands/orders/list-rejected.ts';
import { COUNT_ITEM, lineItem, REJECTED } from '../../../core/people/rejected-line.ts';
import { publishedIn, valuesOf } from '../../helpers/metrics.ts';
import { NO_OFFERS } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { connectionTo } from '../../helpers/operator.ts';
import { orderPackage, submit } from '../../helpers/packages.ts';
import { runSweep } from '../../helpers/run-sweep.ts';
import { DAY } from '../../helpers/world.ts';

const world = await openWorld({ settings: NO_OFFERS });

interface UnknownPage {
  key: string;
  versionId: string;
  problem: string;
  mend: string;
}

/** Uploads an object with any key, and lets its event be handled. */
async function put(Key: string, Body = 'any bytes'): Promise<void> {
  await world.s3.send(new PutObjectCommand({ Bucket: world.outputs.IntakeBucket, Key, Body: Buffer.from(Body) }));
  await world.aws.settle();
}

/** The page in staging; undefined if there is none. */
async function answerIn(Key: string): Promise<UnknownPage | undefined> {
  try {
    const { Body } = await world.s3.send(new GetObjectCommand({ Bucket: world.outputs.StagingBucket, Key }));
    return JSON.parse((await Body?.transformToString()) ?? '') as UnknownPage;
  } catch (error) {
    if (error instanceof NoSuchKey) return undefined;
    throw error;
  }
}

const answerTo = (key: string) => answerIn(`unknown/${key}.json`);

/** Delivers the event of an upload once more. */
async function repeatEvent(key: string, versionId: string | undefined): Promise<void> {
  const object = { key, size: 1, 'version-id': versionId };
  const Detail = JSON.stringify({ bucket: { name: world.outputs.IntakeBucket }, object });
  const Entries = [{ Source: 'aws.s3', DetailType: 'Object Created', Detail }];
  await new EventBridgeClient(world.aws.clientSettings).send(new PutEventsCommand({ Entries }));
  await world.aws.settle();
}

/** Fills the list with lines of unknown uploads, as 500 events would. */
async function fill(): Promise<void> {
  const dynamodb = DynamoDBDocumentClient.from(new DynamoDBClient(world.aws.directClientSettings));
  const at = new Date(world.clock.now()).toISOString();
  const line = (position: number) => {
    const key = `flood/${position}`;
    return {
      orderRef: REJECTED,
      item: lineItem(key),
      kind: 'upload',
      key,
      since: at,
      lastAt: at,
      versionId: 'v',
      why: 'It is odd.',
    };
  };
  const items: object[] = Array.from({ length: 500 }, (_, position) => line(position));
  items.push({ orderRef: REJECTED, item: COUNT_ITEM, upload: 500 });
  for (let from = 0; from < items.length; from += 25) {
    const requests = items.slice(from, from + 25).map((Item) => ({ PutRequest: { Item } }));
    await dynamodb.send(new BatchWriteCommand({ RequestItems: { [world.outputs.OrderTable ?? '']: requests } }));
  }
}

interface Line {
  kind: string;
  key: string;
  since: string;
  lastAt: string;
  why: string;
  answer: string;
}

/** What `list --rejected --json` says. */
async function rejected(): Promise<{ rejected: Line[]; notListed: { package: number; upload: number } }> {
  const { json } = await listRejected(connectionTo(world), { sort: 'changed' });
  return json as { rejected: Line[]; notListed: { package: number; upload: number } };
}

const lineOf = async (key: string) => (await rejected()).rejected.find((line) => line.key === key);

test.each([
  ['order.json', 'not below orders/'],
  ['Orders/mine/order.json', 'not written exactly "orders"'],
  ['orders/order.json', 'in no folder of an order'],
  ['orders/mine/Order.json', 'looks like order.json'],
  ['orders/mine/оrder.json', 'looks like order.json'],
  ['orders/mine/order.json.txt', 'looks like order.json'],
  ['orders/mine/package/order.json', 'in a folder too deep'],
  ['orders/mine/package/decision.json', 'in a folder too deep'],
  ['orders/mine/Documents/charter.pdf', 'not written exactly "documents"'],
  ['orders/mine/documents/устав.pdf', 'cannot have this name'],
  ['orders/mine/charter.pdf', 'No order has a file of this name'],
  ['orders/my order/documents/charter.pdf', 'not a valid orderRef'],
  ['orders/mine/signatures/file.sig', 'There is no order'],
  ['orders/my order/decision.json', 'not a valid orderRef'],
])('the upload %s is answered once, and listed in one line', async (key, problem) => {
  await put(key);
  const line = await lineOf(key);
  expect(line).toMatchObject({ kind: 'upload', why: expect.stringContaining(problem) });
  const page = await answerIn(line?.answer ?? '');
  expect(page).toMatchObject({
    key,
    problem: line?.why,
    versionId: expect.any(String),
    mend: expect.stringMatching(/\.$/),
  });
});

test.each(['orders/new/', 'orders/new/documents/', 'orders/new/signatures/', 'any folder/'])(
  'the empty folder %s, as consoles create it, is not answered',
  async (key) => {
    await put(key, '');
    expect(await lineOf(key)).toBeUndefined();
  },
);

test('files that come before order.json are not answered, and are taken when it comes', async () => {
  const content = orderPackage();
  await world.put('waiting', 'documents/charter.pdf', 'bytes');
  await world.put('waiting', 'decision.json', { choices: [] });
  await world.aws.settle();
  expect((await rejected()).rejected.filter(({ key }) => key.startsWith('orders/waiting/'))).toEqual([]);
  await world.put('waiting', 'order.json', content);
  await world.aws.settle();
  expect(await world.record('waiting')).toMatchObject({ status: expect.any(String) });
});

test('an upload of the same key is one answer and one line with its newest time, and a repeated event changes nothing', async () => {
  const before = world.aws.logs().length;
  await put('stray.txt', 'first');
  const first = await lineOf('stray.txt');
  world.clock.advanceTo(world.clock.now() + DAY);
  await put('stray.txt', 'second');
  const second = await lineOf('stray.txt');
  expect(second).toMatchObject({ since: first?.since });
  expect(second?.lastAt).not.toBe(first?.lastAt);
  const page = await answerTo('stray.txt');
  await repeatEvent('stray.txt', page?.versionId);
  expect(await lineOf('stray.txt')).toEqual(second);
  const Prefix = 'unknown/stray.txt.json';
  const { Versions } = await world.s3.send(
    new ListObjectVersionsCommand({ Bucket: world.outputs.StagingBucket, Prefix }),
  );
  expect(Versions).toHaveLength(2);
  const published = publishedIn(world.aws.logs().slice(before));
  expect(valuesOf(published, 'UploadsRejected', { upload: 'upload' })).toEqual([1, 1]);
});

test('a rejected package is listed with its first problem, and an accepted one takes every line of its folder away', async () => {
  await put('orders/mended/ORDER.JSON', '{}');
  await world.put('mended', 'order.json', { ...orderPackage(), order: {}, signing: 'nobody' });
  await world.aws.settle();
  expect(await lineOf('orders/mended/order.json')).toMatchObject({
    kind: 'package',
    answer: 'orders/mended/rejected.json',
    why: expect.stringMatching(/^\$\..*And \d more\.$/),
  });
  await submit(world, 'mended');
  await world.aws.settle();
  expect(await world.record('mended')).toBeDefined();
  expect((await rejected()).rejected.filter(({ key }) => key.startsWith('orders/mended/'))).toEqual([]);
  expect(await answerTo('orders/mended/ORDER.JSON')).toBeUndefined();
  expect(await world.staged('mended', 'rejected.json')).toBeUndefined();
});

test('a flood of odd uploads has 500 lines, every one is answered, the rest is counted, and the sweep makes room', async () => {
  await fill();
  const { rejected: before } = await rejected();
  await put('flood/one-too-many');
  await put('flood/two-too-many');
  expect(await answerTo('flood/two-too-many')).toMatchObject({ key: 'flood/two-too-many' });
  expect(await rejected()).toMatchObject({ rejected: { length: before.length }, notListed: { upload: 2, package: 0 } });
  await world.put('beside-flood', 'order.json', '{');
  await world.aws.settle();
  expect(await lineOf('orders/beside-flood/order.json')).toMatchObject({ kind: 'package' });
  await runSweep(world);
  const { rejected: after, notListed } = await rejected();
  expect(after.filter(({ kind }) => kind === 'upload')).toHaveLength(450);
  expect(notListed.upload).toBe(2 + before.length - 450);
  await put('flood/there-is-room');
  expect(await lineOf('flood/there-is-room')).toBeDefined();
});

test('lines and their count are gone when the files of an order would be', async () => {
  await put('aged.txt');
  world.clock.advanceTo(world.clock.now() + 91 * DAY);
  await put('young.txt');
  await runSweep(world);
  expect(await rejected()).toMatchObject({ rejected: [{ key: 'young.txt' }], notListed: { upload: 0, package: 0 } });
  expect(await world.items(REJECTED)).toMatchObject([{ item: 'count', upload: 1 }, { key: 'young.txt' }]);
});
