import { createHash } from 'node:crypto';
import { Transform } from 'node:stream';
import { withoutSecrets } from '../used-secrets.ts';

/**
 * A stream that passes its data on. After it has ended, it knows the size in bytes and the SHA digests, so the
 * document is not read again for them. GOST digests are computed later, from the stored document (`packages/detached-signatures/streebog.ts`).
 * @param most after this many bytes, the stream fails. It fails, too, if the document must not be signed.
 */
export function digestingStream(most = Number.POSITIVE_INFINITY) {
  const [sha256, sha384, sha512] = [createHash('sha256'), createHash('sha384'), createHash('sha512')];
  let size = 0;
  let fault: string | undefined;
  let last = '';
  const isEvidence = evidenceWatch();
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (const hash of [sha256, sha384, sha512]) hash.update(chunk);
      size += chunk.length;
      if (isEvidence(chunk)) fault = BEGINS_AS_EVIDENCE;
      // A page is at most 1 MiB, and a token in Base64 20,000 characters. A document may have fewer than 16 by chance.
      last = size > 1024 * 1024 ? '' : last.slice(-20_000) + chunk.toString('latin1');
      if (withoutSecrets(last, 16) !== last) fault = 'shows our access token or client secret, as a debug page does';
      if (fault !== undefined) done(new Error(fault));
      else if (size > most) done(new Error(`more than ${most} bytes`));
      else done(undefined, chunk);
    },
  });
  const digests = () => ({ sha256: sha256.digest('hex'), sha384: sha384.digest('hex'), sha512: sha512.digest('hex') });
  return { stream, size: () => size, fault: () => fault, digests };
}

/**
 * The output of `sha256sum`, and so the manifest of evidence, begins with this. No document may: a signature of a document must never pass
 * for one of evidence.
 */
const STARTS_AS_MANIFEST = /^\\?[0-9a-f]{64} /;
/** The most bytes that the pattern matches. */
const MANIFEST_START_BYTES = 66;

/** Why a document is not signed, for people. */
export const BEGINS_AS_EVIDENCE =
  'begins as evidence does (with a line of sha256sum, or the signed attributes of a signature), so that its signature could pass for one of evidence';

/**
 * The start of a SET of attributes in BER, in hexadecimal digits: tag and length of the SET and of an attribute, then an object identifier.
 * A signature without signed attributes covers the document itself, which an attacker could present as the signed attributes of another
 * signature (RFC 5652, section 5.4).
 */
const STARTS_AS_SIGNED_ATTRIBUTES = /^31(..){1,9}?30(..){1,9}?06/;

/** Returns a function that is given a document chunk by chunk, and says whether it begins as evidence does. */
export function evidenceWatch(): (chunk: Uint8Array) => boolean {
  let start = Buffer.alloc(0);
  return (chunk) => {
    start = Buffer.concat([start, chunk.subarray(0, MANIFEST_START_BYTES - start.length)]);
    return STARTS_AS_MANIFEST.test(start.toString('latin1')) || STARTS_AS_SIGNED_ATTRIBUTES.test(start.toString('hex'));
  };
}
