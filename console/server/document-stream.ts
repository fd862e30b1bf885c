import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { NamedDocument } from '../../commands/documents.ts';
import type { Buckets } from '../../commands/shared/buckets.ts';
import { Refusal } from '../../commands/shared/text.ts';

/**
 * A staged document, whose last bytes come only if it has the SHA-256 that the record gives. With any other content it breaks off
 * before its end, so that nobody takes it for the whole document, and nobody signs it.
 * @throws Refusal when this version is gone, or so short that it must be another one.
 */
export async function openDocument(buckets: Buckets, document: NamedDocument): Promise<Readable> {
  const { key, versionId, file } = document;
  const body = await buckets.openStaged(key, versionId);
  if (!body) throw new Refusal(`This version of ${file} is gone from staging.`);
  const checked = Readable.from(checkedChunks(body, document), { objectMode: false });
  // The reader gets the error.
  checked.on('error', () => undefined);
  await once(checked, 'readable');
  return checked;
}

/** Passes on each chunk when the next one comes, and no more bytes than the record gives: an answer announces that many. */
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
