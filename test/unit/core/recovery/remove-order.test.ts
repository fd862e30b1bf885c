import { ListObjectVersionsCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import type { OrderItem } from '../../../../core/order/order-item.ts';
import { reduceRecord, removeFiles } from '../../../../core/recovery/remove-order.ts';
import { bucket } from '../../../../packages/embedded-aws/test/cloudformation/handmade-assembly.ts';
import { openLedger } from '../ledger/open-ledger.ts';

const key = { orderRef: 'removed', item: 'order' };
const order = { ...key, status: 'CLOSED', waitingFor: 'nobody', decision: { choices: [] } } as unknown as OrderItem;

async function openOrder() {
  const { aws, table } = await openLedger('removed', {}, { Intake: bucket('intake'), Staging: bucket('staging') });
  const client = new S3Client({ ...aws.clientSettings, forcePathStyle: true });
  const place = { Bucket: 'intake', Key: 'orders/removed/order.json' };
  for (const Body of ['1', '2', '3']) await client.send(new PutObjectCommand({ ...place, Body }));
  await table.putItem({ ...order });
  const data = { table, intake: { client, bucket: 'intake' }, staging: { client, bucket: 'staging' } };
  const versions = async () =>
    (await client.send(new ListObjectVersionsCommand({ Bucket: 'intake' }))).Versions?.length;
  return { data, versions, record: () => table.getItem<OrderItem>(key) };
}

test('a removal stops at its limit, and the next one goes on and keeps the count', async () => {
  const { data, versions, record } = await openOrder();
  expect(await removeFiles(data, order, 'retention', 2)).toMatchObject({ count: 2, ended: 'more' });
  expect(await versions()).toBe(1);
  const begun = (await record()) ?? expect.fail();
  expect(begun.removal?.files).toEqual({ by: 'retention', begunAt: expect.any(String), count: 3 });
  expect(await removeFiles(data, begun, 'retention')).toMatchObject({ count: 1, ended: 'done' });
  expect((await record())?.removal?.files).toMatchObject({ count: 3, endedAt: expect.any(String) });
});

test('files of an order that is not over stay, and so does a record with files', async () => {
  const { data, versions, record } = await openOrder();
  await expect(removeFiles(data, { ...order, status: 'IN_WORK' }, 'retention')).rejects.toThrow('is not over');
  await expect(reduceRecord(data, order, 'retention')).rejects.toThrow('still has files');
  expect(await versions()).toBe(3);
  expect(await record()).toEqual(order);
});

test('a hold that comes after the files were removed keeps the record', async () => {
  const { data, record } = await openOrder();
  const { order: emptied } = await removeFiles(data, order, 'retention');
  await data.table.putItem({ ...emptied, legalHold: { by: 'somebody' } });
  await data.table.putItem({ ...key, item: 'to-sign#1#a' });
  expect(await reduceRecord(data, emptied, 'retention')).toMatchObject({ count: 0, ended: 'kept' });
  expect(await data.table.getItem({ ...key, item: 'to-sign#1#a' })).toBeDefined();
  expect((await record())?.removal?.record).toBeUndefined();
});
