import { PutObjectCommand } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { foreign, own, rawRequest } from './raw-request.ts';
import { startS3 } from './s3/s3-fixture.ts';

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
