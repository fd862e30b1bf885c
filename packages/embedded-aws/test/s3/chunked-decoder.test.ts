import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { ChunkedDecoder } from '../../s3/chunked-decoder.ts';

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
