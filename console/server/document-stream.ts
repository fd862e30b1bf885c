import { createHash } from 'node:crypto';
import { type Readable, Transform } from 'node:stream';
import type { NamedDocument } from '../../commands/documents.ts';
import { Refusal } from '../../commands/refusal.ts';
import type { Buckets } from '../../commands/stage/buckets.ts';

/**
 * A staged document, which breaks off at its end if it does not have the SHA-256 that the record gives: nobody signs it then.
 * @throws Refusal when this version is gone.
 */
export async function openDocument(buckets: Buckets, document: NamedDocument): Promise<Readable> {
  const { key, versionId, sha256, file } = document;
  const body = await buckets.openStaged(key, versionId);
  if (!body) throw new Refusal(`This version of ${file} is gone from staging.`);
  const hash = createHash('sha256');
  const checked = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
    flush(done) {
      const isSame = hash.digest('hex') === sha256;
      done(isSame ? null : new Refusal(`${file} does not have the SHA-256 that the record gives.`));
    },
  });
  body.once('error', (error) => checked.destroy(error));
  return body.pipe(checked);
}
