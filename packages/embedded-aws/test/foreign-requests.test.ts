import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { expect, onTestFinished, test } from 'vitest';
import { startHandmade } from './cloudformation/handmade-assembly.ts';
import { foreign, own, rawRequest } from './raw-request.ts';

async function startS3(properties: object = {}) {
  const Resources = { Bucket: { Type: 'AWS::S3::Bucket', Properties: { BucketName: 'bucket', ...properties } } };
  const { aws, config, clock } = await startHandmade({ Stack: { Resources } });
  const s3 = new S3Client(config);
  onTestFinished(() => s3.destroy());
  const text = async (Key: string, VersionId?: string) => {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: 'bucket', Key, VersionId }));
    return Body?.transformToString();
  };
  return { aws, clock, s3, Bucket: 'bucket', text };
}

test('the embedded AWS refuses and does nothing that is not asked by a program of this machine', async () => {
  const { aws, s3, text } = await startS3();
  await s3.send(new PutObjectCommand({ Bucket: 'bucket', Key: 'secret', Body: 'kept' }));
  const url = `${aws.endpoint}/bucket/secret`;
  for (const [by, headers] of foreign) {
    const refused = { status: 403, text: expect.stringContaining('this machine') };
    expect(await rawRequest(url, { headers }), by).toEqual(refused);
    expect((await rawRequest(url, { method: 'PUT', headers, body: 'changed' })).status, by).toBe(403);
  }
  expect(await text('secret')).toBe('kept');
  for (const [name, headers] of own(aws.endpoint))
    expect(await rawRequest(url, { headers }), name).toEqual({ status: 200, text: 'kept' });
});
