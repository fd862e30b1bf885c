import { verify, type X509Certificate } from 'node:crypto';
import {
  algorithmOf,
  allowsKeyUse,
  type CertificateParts,
  certificateParts,
  DELTA_LIST,
  DISTRIBUTION_POINT,
  isNamedIssuer,
  readExtensions,
} from './certificate-parts.ts';
import {
  decodeTime,
  type Element,
  elementAt,
  elementsIn,
  partsOf,
  requireBounded,
  SEQUENCE,
  TAGGED_0,
} from './elements.ts';
import { type Reason, reason } from './reasons.ts';
import { isGostKey, signatureAlgorithms } from './signature-algorithms.ts';

/** A certificate revocation list (RFC 5280, section 5.1). */
export interface RevocationList
  extends Pick<CertificateParts, 'issuer' | 'extensions' | 'body' | 'signatureAlgorithm' | 'signature'> {
  /** Revocation dates, by serial number in hexadecimal. */
  revoked: ReadonlyMap<string, Date>;
  nextUpdate: Date | undefined;
  /** Fingerprints of the certificates that have verified its signature. */
  verifiedBy: Set<string>;
}

/**
 * Reads certificate revocation lists, PEM or DER.
 * @throws Error if one of them cannot be read.
 */
export function readRevocationLists(bytes: Uint8Array): RevocationList[] {
  const text = Buffer.from(bytes).toString('latin1');
  const blocks = [...text.matchAll(/-----BEGIN X509 CRL-----([^-]+)-----END X509 CRL-----/g)];
  if (text.split('-----BEGIN X509 CRL-----').length - 1 > blocks.length) throw new Error('one of its lists has no END');
  const lists =
    blocks.length > 0 ? blocks.map(([, base64 = '']) => Buffer.from(base64, 'base64')) : [Buffer.from(bytes)];
  return lists.map(readList);
}

function readList(bytes: Buffer): RevocationList {
  requireBounded(bytes);
  const [body, algorithm, signature] = partsOf<[Element, Element, Element]>(elementAt(bytes), 'certificate');
  const parts = partsOf(body, 'revocationList');
  const [, issuer, , ...others] = (parts[0].tag === SEQUENCE ? parts : parts.slice(1)) as [Element, Element, Element];
  const [next, listed] = others as [Element?, Element?];
  const nextUpdate = next && next.tag !== SEQUENCE && next.tag !== TAGGED_0 ? next : undefined;
  const entries = [next, listed].find((part) => part?.tag === SEQUENCE);
  return {
    issuer: issuer.bytes,
    extensions: readExtensions(parts.find(({ tag }) => tag === TAGGED_0)),
    body: body.bytes,
    signatureAlgorithm: algorithmOf(algorithm),
    signature: signature.content.subarray(1),
    revoked: new Map(entries && [...elementsIn(entries.content)].map(readEntry)),
    nextUpdate: nextUpdate && decodeTime(nextUpdate),
    verifiedBy: new Set(),
  };
}

function readEntry({ content }: Element): [string, Date] {
  const [serialNumber, date] = elementsIn(content) as Iterable<Element>;
  return [(serialNumber as Element).content.toString('hex'), decodeTime(date as Element)];
}

/** Returns when the certificate was revoked, or why its status is unknown, or undefined if it is not revoked. */
export async function revocationOf(
  certificate: X509Certificate,
  lists: readonly RevocationList[],
  issuers: readonly X509Certificate[],
  now: Date,
): Promise<Date | Reason | undefined> {
  const parts = certificateParts(certificate);
  const own = lists.filter(({ issuer }) => issuer.equals(parts.issuer));
  for (const { revoked } of own) {
    const since = revoked.get(parts.serialNumber.toString('hex'));
    if (since) return since;
  }
  for (const list of own) {
    if (isPartial(list) || !(await isGenuine(list, issuers))) continue;
    if (!list.nextUpdate || list.nextUpdate >= now) return undefined;
    return reason('TRY_LATER.expired', { at: list.nextUpdate.toISOString() });
  }
  return reason('TRY_LATER.noList');
}

/** Tags by which a distribution point limits its list to some certificates or reasons (RFC 5280, section 5.2.5). */
const LEFT_OUT = [0x82, 0x83, 0x84, 0x85];

/** Whether a list contains only some of the revoked certificates. */
function isPartial({ extensions }: RevocationList): boolean {
  const point = extensions.get(DISTRIBUTION_POINT);
  const parts = point ? [...elementsIn(elementAt(point).content)] : [];
  return extensions.has(DELTA_LIST) || parts.some(({ tag, content }) => LEFT_OUT.includes(tag) && content[0] !== 0);
}

/** Whether one of `issuers` is the issuer that the list names, and signed it. */
async function isGenuine(list: RevocationList, issuers: readonly X509Certificate[]): Promise<boolean> {
  for (const issuer of issuers) {
    const parts = certificateParts(issuer);
    if (!isNamedIssuer(parts, list) || !allowsKeyUse(parts, 'cRLSign')) continue;
    if (list.verifiedBy.has(issuer.fingerprint256) || (await hasSigned(parts, list))) {
      list.verifiedBy.add(issuer.fingerprint256);
      return true;
    }
  }
  return false;
}

async function hasSigned({ key, keyAlgorithm, certificate }: CertificateParts, list: RevocationList): Promise<boolean> {
  if (isGostKey(keyAlgorithm)) return (await import('./gost-signature.ts')).isSignedByGost(key, list);
  const { digest, padding } = signatureAlgorithms.get(list.signatureAlgorithm) ?? {};
  if (!digest || padding) return false;
  try {
    return verify(digest, list.body, certificate.publicKey, list.signature);
  } catch {
    return false;
  }
}
