import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { ChunkedDecoder } from '../s3/chunked-decoder.ts';
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

const UNSIGNED = 'b\r\nhello\r\n\x00wor\r\n2\r\nld\r\n0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n';
const SIGNED = `5;chunk-signature=${'a'.repeat(64)}\r\nhello\r\n0;chunk-signature=${'b'.repeat(64)}\r\n\r\n`;

async function decode(pieces: string[]) {
  const decoder = new ChunkedDecoder();
  const bytes = Readable.from(pieces.map((piece) => Buffer.from(piece, 'latin1')));
  bytes.on('error', () => undefined);
  const body = await buffer(bytes.pipe(decoder));
  return { body: body.toString('latin1'), trailers: Object.fromEntries(decoder.trailers) };
}

describe('ChunkedDecoder', () => {
  it('decodes a body that is cut in two at any position', async () => {
    for (let cut = 0; cut <= UNSIGNED.length; cut += 1) {
      const { body, trailers } = await decode([UNSIGNED.slice(0, cut), UNSIGNED.slice(cut)].filter(Boolean));
      expect(body, `cut at ${cut}`).toBe('hello\r\n\x00world');
      expect(trailers, `cut at ${cut}`).toEqual({ 'x-amz-checksum-crc32': 'AAAAAA==' });
    }
  });

  it('removes chunk signatures', async () => {
    expect(await decode([SIGNED])).toEqual({ body: 'hello', trailers: {} });
  });

  it.each([
    ['ends within a chunk', '5\r\nhel', 'ended before its last chunk'],
    ['has no last chunk', '5\r\nhello\r\n', 'ended before its last chunk'],
    ['has data beyond its size', '5\r\nhelloo\r\n0\r\n\r\n', 'longer than its size'],
    ['has no size', 'hello\r\n', 'not a chunk size'],
    ['goes on after the end', '0\r\n\r\n5\r\nhello', 'continues after its last chunk'],
  ])('refuses a body that %s', async (_name, body, message) => {
    await expect(decode([body])).rejects.toThrow(message);
  });
});
