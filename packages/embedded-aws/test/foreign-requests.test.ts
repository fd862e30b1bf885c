import { PutObjectCommand } from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import { foreign, own, rawRequest } from './raw-request.ts';
import { startS3 } from './s3/s3-fixture.ts';

describe('the embedded AWS', () => {
  test.each(foreign)('refuses a request made %s, and does nothing', async (_by, headers) => {
    const { aws, s3, text } = await startS3();
    await s3.send(new PutObjectCommand({ Bucket: 'bucket', Key: 'secret', Body: 'kept' }));
    const read = await rawRequest(`${aws.endpoint}/bucket/secret`, { headers });
    expect(read).toEqual({ status: 403, text: expect.stringContaining('this machine') });
    const write = await rawRequest(`${aws.endpoint}/bucket/secret`, { method: 'PUT', headers, body: 'changed' });
    expect(write.status).toBe(403);
    expect(await text('secret')).toBe('kept');
  });

  test('answers programs of this machine under each of its names', async () => {
    const { aws, s3 } = await startS3();
    await s3.send(new PutObjectCommand({ Bucket: 'bucket', Key: 'secret', Body: 'kept' }));
    for (const [, headers] of own(aws.endpoint)) {
      expect(await rawRequest(`${aws.endpoint}/bucket/secret`, { headers })).toEqual({ status: 200, text: 'kept' });
    }
  });
});
