import { createHash, type X509Certificate } from 'node:crypto';
import { allowsKeyUse, type CertificateParts, certificateParts, readCertificate } from './certificate-parts.ts';
import { dateProblem, issuedBy } from './certificate-path.ts';
import { unfitForAll } from './certificate-rules.ts';
import { encoded, encodeOid, sequence } from './der.ts';
import { decodeTime, type Element, elementAt, elementsIn, type Pair, partsOf, requireBounded } from './elements.ts';
import type { RevocationList } from './revocation.ts';
import { readSignatureAlgorithm } from './signature-algorithms.ts';
import { isSignedBy } from './signer-check.ts';

const [INTEGER, OCTET_STRING, SEQUENCE, GOOD, REVOKED, NEXT_UPDATE] = [0x02, 0x04, 0x30, 0x80, 0xa1, 0xa0];
const SHA_1 = sequence(encodeOid('1.3.14.3.2.26'), Buffer.of(5, 0));
const OCSP_SIGNING = '1.3.6.1.5.5.7.3.9';
const MOST_RESPONDERS = 4;
/** Milliseconds that a response counts that does not say when there will be a newer one. */
const COUNTS = 4 * 3_600_000;

/** The addresses of responders that a certificate names. Node writes each on a line, odd ones in quotes. */
export const respondersOf = ({ infoAccess = '' }: X509Certificate): string[] =>
  [...infoAccess.matchAll(/^OCSP - URI:(.+)$/gm)].map(([, address = '']) => address);

/** What names a certificate to its responder, after the digest algorithm (RFC 6960, section 4.1.1). */
function idOf(certificate: X509Certificate, issuer: X509Certificate): Buffer {
  const { issuer: name, serialNumber } = certificateParts(certificate);
  const [, key] = partsOf<Pair>(certificateParts(issuer).key, 'publicKey');
  const hashes = [name, key.content.subarray(1)].map((bytes) => createHash('sha1').update(bytes).digest());
  return Buffer.concat([...hashes.map((hash) => encoded(OCTET_STRING, hash)), encoded(INTEGER, serialNumber)]);
}

/** Asks about a certificate. Without a nonce, so that responders may answer from a cache. */
export const ocspRequest = (certificate: X509Certificate, issuer: X509Certificate): Buffer =>
  sequence(sequence(sequence(sequence(sequence(SHA_1, idOf(certificate, issuer))))));

const contentOf = (element: Element | undefined) => [...elementsIn((element as Element).content)];

/**
 * Reads an OCSP response (RFC 6960, section 4.2.1) as a list of one certificate. If the response is `good`, the list does not name it.
 * @throws Error if it is none, says something else, or is not signed by the issuer or a delegate.
 */
export async function readOcspResponse(
  bytes: Buffer,
  certificate: X509Certificate,
  issuer: X509Certificate,
): Promise<RevocationList> {
  requireBounded(bytes);
  const [, wrapped] = contentOf(elementAt(bytes));
  const [, octets] = contentOf(contentOf(wrapped)[0]);
  const [data, algorithm, bits, chain] = contentOf(contentOf(octets)[0]) as [Element, Element, Element, Element?];
  const signature = bits.content.subarray(1);
  const signed = { body: data.bytes, algorithm: readSignatureAlgorithm(algorithm), signature };
  const signers = [issuer, ...(await delegates(issuer, chain))].map((one) => isSignedBy(certificateParts(one), signed));
  if (!(await Promise.all(signers)).includes(true)) throw new Error('its signer may not answer');
  const id = idOf(certificate, issuer);
  const [responses] = partsOf(data, 'responseData').filter(({ tag }) => tag === SEQUENCE);
  const own = contentOf(responses).find(({ content }) => elementAt(content).content.subarray(-id.length).equals(id));
  const [, status, time, next] = partsOf<[Element, Element, Element, Element]>(own as Element, 'singleResponse');
  if (![GOOD, REVOKED].includes(status.tag)) throw new Error('it does not know the certificate');
  const [thisUpdate, { issuer: name, serialNumber }] = [decodeTime(time), certificateParts(certificate)];
  const since = status.tag === REVOKED ? [decodeTime(elementAt(status.content))] : [];
  return {
    ...signed,
    issuer: name,
    extensions: new Map(),
    revoked: new Map(since.map((date) => [serialNumber.toString('hex'), date])),
    thisUpdate,
    nextUpdate:
      next?.tag === NEXT_UPDATE ? decodeTime(elementAt(next.content)) : new Date(thisUpdate.getTime() + COUNTS),
    verifiedBy: new Set([issuer.fingerprint256]),
  };
}

/** Those whom the issuer has certified itself to answer for it (RFC 6960, section 4.2.2.2). */
async function delegates(issuer: X509Certificate, chain: Element | undefined): Promise<X509Certificate[]> {
  const now = new Date();
  const given = chain ? contentOf(contentOf(chain)[0]).slice(0, MOST_RESPONDERS) : [];
  const certificates = given.map((element) => readCertificate(element).certificate);
  const isFit = (parts: CertificateParts) => allowsKeyUse(parts, 'digitalSignature') && !unfitForAll(parts);
  const isDelegate = (one: X509Certificate) =>
    !one.ca && one.keyUsage?.includes(OCSP_SIGNING) && !dateProblem(one, now) && isFit(certificateParts(one));
  return [...(await issuedBy([issuer], certificates.filter(isDelegate), now))];
}
