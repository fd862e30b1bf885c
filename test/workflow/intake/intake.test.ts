import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { ListObjectVersionsCommand } from '@aws-sdk/client-s3';
import { expect, inject, test } from 'vitest';
import type { RejectedLine } from '../../../commands/shared/rejected-uploads.ts';
import { problemText } from '../../../commands/shared/rejection-text.ts';
import { answerKey, type RejectedUpload } from '../../../core/staging/rejected-upload.ts';
import { commandsIn } from '../../helpers/commands-in.ts';
import { creating } from '../../helpers/faults.ts';
import { watchMetrics } from '../../helpers/metrics.ts';
import { NO_OFFERS, openWorld } from '../../helpers/open-world.ts';
import { orderPackage } from '../../helpers/packages.ts';
import { DAY } from '../../helpers/world.ts';

const world = await openWorld({ settings: NO_OFFERS });

const answersTo = async (key: string) => (await world.allAnswers()).filter((one) => one.key === key);

async function repeatEvent({ key, versionId }: RejectedUpload): Promise<void> {
  const object = { key, size: 1, 'version-id': versionId };
  const Detail = JSON.stringify({ bucket: { name: world.outputs.IntakeBucket }, object });
  const Entries = [{ Source: 'aws.s3', DetailType: 'Object Created', Detail }];
  await new EventBridgeClient(world.aws.clientSettings).send(new PutEventsCommand({ Entries }));
  await world.aws.settle();
}

async function rejected(): Promise<RejectedLine[]> {
  const json = await commandsIn(world).done('--json', 'list', '--rejected', '--sort', 'changed');
  return (JSON.parse(json) as { rejected: RejectedLine[] }).rejected;
}

const lineOf = async (key: string) => (await rejected()).find((line) => line.key === key);

test('an upload that no order takes is answered once, with its problem, and listed in one line, and its name is not logged', async () => {
  const uploads = {
    'order.json': 'not below orders/',
    'Orders/mine/order.json': 'not written exactly "orders"',
    'orders/order.json': 'in no folder of an order',
    'orders/mine/оrder.json': 'looks like order.json',
    'orders/mine/package/decision.json': 'in a folder too deep',
    'orders/mine/Documents/charter.pdf': 'not written exactly "documents"',
    'orders/mine/documents/устав.pdf': 'cannot have this name',
    'orders/mine/Ivanov passport 4509.pdf': 'No order has a file of this name',
    'orders/my order/documents/charter.pdf': 'not a valid orderRef',
    'orders/mine/signatures/file.sig': 'There is no order',
  };
  const logged = world.aws.logs().length;
  for (const key of Object.keys(uploads)) await world.uploadAndSettle(key);
  // As consoles create them.
  const folders = ['orders/new/', 'orders/new/documents/', 'any folder/'];
  for (const folder of folders) await world.uploadAndSettle(folder, '');
  const lines = (await rejected()).filter(({ key }) => [...folders, ...Object.keys(uploads)].includes(key));
  expect(lines.map(({ key }) => key).sort()).toEqual(Object.keys(uploads).sort());
  for (const [key, problem] of Object.entries(uploads)) {
    const line = lines.find((one) => one.key === key);
    expect(line, key).toMatchObject({ kind: 'upload', why: [expect.stringContaining(problem)] });
    const answers = await answersTo(key);
    expect(answers).toEqual([{ kind: 'upload', key, versionId: expect.any(String), problems: [expect.anything()] }]);
    expect(answers.flatMap(({ problems }) => problems.map(problemText))).toEqual(line?.why);
    expect(answers.map(answerKey)).toEqual([line?.answer]);
  }
  expect(await world.stagedKeys('mine')).toEqual([]);
  const logs = JSON.stringify(world.aws.logs().slice(logged));
  expect(logs).toContain('An upload belongs to no order');
  expect(logs).not.toContain('Ivanov');
});

test('files that come before order.json are not answered, and are taken when it comes', async () => {
  await world.put('waiting', 'documents/charter.pdf', 'bytes');
  await world.putAndSettle('waiting', 'decision.json', { choices: [] });
  expect(await world.allAnswers('orders/waiting/')).toEqual([]);
  await world.putAndSettle('waiting', 'order.json', orderPackage());
  expect(await world.record('waiting')).toMatchObject({ status: expect.any(String) });
});

test('each version of an upload has one answer, a key has one line, and a repeated event changes nothing', async () => {
  const metrics = watchMetrics(world);
  await world.uploadAndSettle('stray.txt', 'first');
  const first = await lineOf('stray.txt');
  world.clock.advanceTo(world.clock.now() + DAY);
  await world.uploadAndSettle('stray.txt', 'second');
  const second = await lineOf('stray.txt');
  expect(second).toMatchObject({ since: first?.since });
  expect(second?.lastAt).not.toBe(first?.lastAt);
  const answers = await answersTo('stray.txt');
  expect(answers).toHaveLength(2);
  for (const answer of answers) await repeatEvent(answer);
  expect(await lineOf('stray.txt')).toEqual(second);
  const stored = { Bucket: world.outputs.StagingBucket, Prefix: 'rejected/stray.txt/' };
  expect((await world.s3.send(new ListObjectVersionsCommand(stored))).Versions).toHaveLength(2);
  expect(metrics.values('UploadsRejected', { upload: 'upload' })).toEqual([1, 1]);
});

test('a rejected package is listed with all its problems, and the start of the order takes every line of its folder away', async () => {
  await world.uploadAndSettle('orders/corrected/ORDER.JSON', '{}');
  await world.putAndSettle('corrected', 'order.json', { ...orderPackage(), order: {}, signing: 'nobody' });
  expect(await lineOf('orders/corrected/order.json')).toMatchObject({
    kind: 'package',
    answer: expect.stringMatching(/^rejected\/orders\/corrected\/order\.json\//),
    why: ['order', 'signing', 'documents[0].file'].map((path) => expect.stringContaining(`$.${path}: `)),
  });
  await world.submit('corrected');
  await world.aws.settle();
  expect(await world.record('corrected')).toBeDefined();
  expect((await rejected()).filter(({ key }) => key.startsWith('orders/corrected/'))).toEqual([]);
  expect(await world.answers('corrected')).toEqual([]);
  expect(await world.allAnswers('orders/corrected/')).toHaveLength(2);
});

test('a document that the accepted package does not name is answered, and the order goes on', async () => {
  await world.submit('named');
  await world.aws.settle();
  await world.uploadAndSettle('orders/named/documents/forgotten.pdf');
  expect(await lineOf('orders/named/documents/forgotten.pdf')).toMatchObject({
    why: [expect.stringContaining('does not name the file')],
  });
  await world.uploadAndSettle('orders/named/documents/charter.pdf', 'a better scan');
  expect(await lineOf('orders/named/documents/charter.pdf')).toBeUndefined();
  expect(await world.untilEnd('named')).toMatchObject({ status: 'CLOSED' });
});

async function problems(orderRef: string): Promise<(string | undefined)[] | undefined> {
  await world.aws.settle();
  const found = await world.packageProblems(orderRef);
  for (const { problem, fix } of found ?? []) expect([problem, fix]).not.toContain('');
  return found?.map(({ path }) => path).sort();
}

test('a bad package starts nothing and is rejected with all its problems at once, and the corrected package starts', async () => {
  const content = orderPackage({ documents: ['a.pdf', 'b.pdf', 'устав.pdf'] });
  await world.put('bad', 'documents/a.pdf', '');
  await world.put('bad', 'order.json', { ...content, order: {}, offers: { choose: 'rule' } });
  expect(await problems('bad')).toEqual(
    ['$.documents[0].file', '$.documents[1].file', '$.documents[2].file', '$.offers.rule', '$.order'].sort(),
  );
  expect(await world.executions('bad')).toEqual([]);
  expect(await world.items('bad')).toEqual([]);
  expect(await world.stagedKeys('bad')).toEqual([]);

  expect(await world.submitToEnd('bad', { documents: ['a.pdf', 'b.pdf'] })).toMatchObject({ status: 'CLOSED' });
  expect(await problems('bad')).toBeUndefined();
});

test('order data that does not fit the schema of the stage is rejected before anything is sent', async () => {
  const file = join(inject('temporaryDirectory'), 'order-schema.json');
  await writeFile(file, JSON.stringify({ type: 'object', properties: { amount: { type: 'string' } } }));
  world.aws.useFunctionVariables({ ORDER_SCHEMA_FILE: file });
  await world.submit('unfit', { offers: { choose: 'manual' } });
  expect(await problems('unfit')).toEqual(['$.order.amount']);
  expect(await world.executions('unfit')).toEqual([]);
});

test('files of a package that are uploaded at the same moment start one order', async () => {
  const content = orderPackage({ documents: ['a.pdf', 'b.pdf', 'c.pdf'] });
  const files = content.documents.map(({ file }) => world.put('at-once', file, `bytes of ${file}`));
  await Promise.all([...files, world.put('at-once', 'order.json', content)]);
  expect(await problems('at-once')).toBeUndefined();
  await world.untilEnd('at-once');
  expect(await world.executions('at-once')).toHaveLength(1);
  expect(await world.calls('at-once', creating)).toHaveLength(1);
});
