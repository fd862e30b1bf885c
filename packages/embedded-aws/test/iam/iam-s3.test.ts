import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { deniedS3, startReader } from './iam-fixture.ts';

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
