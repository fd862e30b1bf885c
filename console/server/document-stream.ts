import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { pipeline, type Readable, Transform } from 'node:stream';
import type { NamedDocument } from '../../commands/documents.ts';
import { Refusal } from '../../commands/refusal.ts';
import type { Buckets } from '../../commands/stage/buckets.ts';

/**
 * A staged document, whose last bytes come only if it has the SHA-256 that the record gives. With any other content it breaks off
 * before its end, so that nobody takes it for the whole document, and nobody signs it.
 * @throws Refusal when this version is gone, or so short that it is known to be another one before anything was sent.
 */
export async function openDocument(buckets: Buckets, document: NamedDocument): Promise<Readable> {
  const { key, versionId, file } = document;
  const body = await buckets.openStaged(key, versionId);
  if (!body) throw new Refusal(`This version of ${file} is gone from staging.`);
  // Whoever reads it is told why it breaks off.
  const checked = pipeline(body, checkedStream(document), () => undefined);
  await once(checked, 'readable');
  return checked;
}

/** Passes on each chunk when the next one comes, and no more bytes than the record gives: an answer announces that many. */
function checkedStream({ file, size, sha256 }: NamedDocument): Transform {
  const other = () =>
    new Refusal(`${file} does not have the SHA-256 that the record gives. Do not sign it; ask who changed it.`);
  const hash = createHash('sha256');
  let length = 0;
  let held: Buffer | undefined;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      length += chunk.length;
      if (length > size) return done(other());
      hash.update(chunk);
      const before = held;
      held = chunk;
      done(null, before);
    },
    flush(done) {
      if (hash.digest('hex') === sha256) done(null, held);
      else done(other());
    },
  });
}
