import { createHash } from 'node:crypto';
import { Transform } from 'node:stream';
import { withoutSecrets } from '../used-secrets.ts';

/**
 * A stream that passes its data on. After it has ended, it knows the size in bytes and all digests that a signature may
 * need. So the document is not read again to sign it or to check its signature.
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

/** What is signed as evidence begins with this, and no document may. So a signature of a document never passes for one of evidence. */
export const EVIDENCE_START = 'loan-orders-evidence/';

/** Why a document is not signed, for people. */
export const BEGINS_AS_EVIDENCE = `begins as evidence does ("${EVIDENCE_START}", or the signed attributes of a signature), so that its signature could pass for one of evidence`;

/** The same in hexadecimal digits. */
const STARTS_AS_EVIDENCE = new RegExp(`^${Buffer.from(EVIDENCE_START).toString('hex')}`);
/**
 * The start of a SET of attributes in BER: tag and length of the SET and of an attribute, then an object identifier. Whoever signs without
 * signed attributes signs the document itself, which would become the signed attributes of another signature (RFC 5652, section 5.4).
 */
const STARTS_AS_SIGNED_ATTRIBUTES = /^31(..){1,9}?30(..){1,9}?06/;
/** As many bytes show both starts. */
const WATCHED_BYTES = 32;

/** Returns a function that is given a document chunk by chunk, and says whether it begins as evidence does. */
export function evidenceWatch(): (chunk: Uint8Array) => boolean {
  let start = '';
  return (chunk) => {
    start += Buffer.from(chunk.subarray(0, WATCHED_BYTES - start.length / 2)).toString('hex');
    return STARTS_AS_EVIDENCE.test(start) || STARTS_AS_SIGNED_ATTRIBUTES.test(start);
  };
}
