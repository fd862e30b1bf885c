import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { allow, attribute, deniedS3, startReader } from './iam-fixture.ts';

test('a function reads and writes only the objects that its role allows', async () => {
  const { reader, people } = await startReader([allow('s3:ListBucket', attribute('Bucket'))]);
  const put = (client: S3Client, Bucket: string, name: string) =>
    client.send(new PutObjectCommand({ Bucket, Key: name, Body: '{}' }));
  const get = (Bucket: string, name: string, VersionId?: string) =>
    reader.s3.send(new GetObjectCommand({ Bucket, Key: name, VersionId }));
  for (const place of ['bucket', 'elsewhere']) await put(people.s3, place, 'orders/a/order.json');
  expect(await (await get('bucket', 'orders/a/order.json')).Body?.transformToString()).toBe('{}');
  const refused = deniedS3('s3:GetObject', 'arn:aws:s3:::elsewhere/orders/a/order.json');
  await expect(get('elsewhere', 'orders/a/order.json')).rejects.toMatchObject(refused);
  await expect(get('bucket', 'orders/a/other.json')).rejects.toMatchObject(
    deniedS3('s3:GetObject', 'arn:aws:s3:::bucket/orders/a/other.json'),
  );
  await put(reader.s3, 'bucket', 'orders/a/written ü/b c+d.json');
  await expect(put(reader.s3, 'bucket', 'orders/a/order.json')).rejects.toMatchObject(
    deniedS3('s3:PutObject', 'arn:aws:s3:::bucket/orders/a/order.json'),
  );
  await expect(
    reader.s3.send(new DeleteObjectCommand({ Bucket: 'bucket', Key: 'orders/a/order.json' })),
  ).rejects.toMatchObject(deniedS3('s3:DeleteObject', 'arn:aws:s3:::bucket/orders/a/order.json'));
});

test('reading a version of an object needs a separate permission', async () => {
  const { reader, people } = await startReader();
  const write = async (name: string) =>
    (await people.s3.send(new PutObjectCommand({ Bucket: 'bucket', Key: name, Body: 'x' }))).VersionId;
  const [pinned, current] = [await write('pinned/a'), await write('orders/a/order.json')];
  const get = (name: string, VersionId?: string) =>
    reader.s3.send(new GetObjectCommand({ Bucket: 'bucket', Key: name, VersionId }));
  await get('pinned/a', pinned);
  await expect(get('pinned/a')).rejects.toMatchObject(deniedS3('s3:GetObject', 'arn:aws:s3:::bucket/pinned/a'));
  await expect(get('orders/a/order.json', current)).rejects.toMatchObject(
    deniedS3('s3:GetObjectVersion', 'arn:aws:s3:::bucket/orders/a/order.json'),
  );
});

test('a missing object is AccessDenied for a function that may not list the bucket', async () => {
  const read = { Bucket: 'bucket', Key: 'orders/none/order.json' };
  const without = (await startReader()).reader.s3;
  await expect(without.send(new GetObjectCommand(read))).rejects.toMatchObject(
    deniedS3('s3:ListBucket', 'arn:aws:s3:::bucket'),
  );
  await expect(without.send(new HeadObjectCommand(read))).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } });
  await expect(without.send(new ListObjectsV2Command({ Bucket: 'bucket' }))).rejects.toMatchObject(
    deniedS3('s3:ListBucket', 'arn:aws:s3:::bucket'),
  );
  const lister = (await startReader([allow('s3:List*', attribute('Bucket'))])).reader.s3;
  await lister.send(new ListObjectsV2Command({ Bucket: 'bucket' }));
  await expect(lister.send(new GetObjectCommand(read))).rejects.toMatchObject({ name: 'NoSuchKey' });
});

test('a multipart upload needs the permission to write, and aborting it needs a separate permission', async () => {
  const { reader } = await startReader();
  const upload = { Bucket: 'bucket', Key: 'parts/1' };
  const { UploadId } = await reader.s3.send(new CreateMultipartUploadCommand(upload));
  await expect(reader.s3.send(new AbortMultipartUploadCommand({ ...upload, UploadId }))).rejects.toMatchObject(
    deniedS3('s3:AbortMultipartUpload', 'arn:aws:s3:::bucket/parts/1'),
  );
  const other = new CreateMultipartUploadCommand({ ...upload, Key: 'parts/12' });
  await expect(reader.s3.send(other)).rejects.toMatchObject(deniedS3('s3:PutObject', 'arn:aws:s3:::bucket/parts/12'));
});
