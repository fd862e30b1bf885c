import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { NamedDocument } from '../documents.ts';
import type { Buckets } from '../shared/buckets.ts';
import { Refusal } from '../shared/text.ts';

/**
 * A staged document. Its last bytes are sent only if its SHA-256 matches the record. Otherwise the stream breaks off early, so nobody can
 * sign a wrong document.
 * @throws Refusal when this version is gone, or a mismatch is found before the first byte is sent.
 */
export async function openDocument(buckets: Buckets, document: NamedDocument): Promise<Readable> {
  const { key, versionId, file } = document;
  const body = await buckets.openStaged(key, versionId);
  if (!body) throw new Refusal(`This version of ${file} is gone from staging.`);
  const checked = Readable.from(checkedChunks(body, document), { objectMode: false });
  // The reader receives the error.
  checked.on('error', () => undefined);
  await once(checked, 'readable');
  return checked;
}

/** Delays each chunk until the next arrives, and passes on at most the recorded number of bytes: the response announces it. */
async function* checkedChunks(body: Readable, { file, size, sha256 }: NamedDocument): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let length = 0;
  let held: Buffer | undefined;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > size) break;
    hash.update(chunk);
    if (held) yield held;
    held = chunk;
  }
  if (length > size || hash.digest('hex') !== sha256)
    throw new Refusal(`${file} does not have the SHA-256 that the record gives. Do not sign it; ask who changed it.`);
  if (held) yield held;
}
