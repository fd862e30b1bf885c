import type { X509Certificate } from 'node:crypto';
import {
  allowsKeyUse,
  type CertificateParts,
  certificateParts,
  DELTA_LIST,
  DISTRIBUTION_POINT,
  DISTRIBUTION_POINTS,
  isNamedIssuer,
  readExtensions,
} from './certificate-parts.ts';
import {
  CONSTRUCTED,
  decodeTime,
  type Element,
  elementAt,
  elementsIn,
  identifierText,
  type Pair,
  partsOf,
  requireBounded,
  SEQUENCE,
  TAGGED_0,
} from './elements.ts';
import { sameName } from './names.ts';
import { type Reason, reason } from './reasons.ts';
import { readSignatureAlgorithm } from './signature-algorithms.ts';
import { isSignedBy } from './signer-check.ts';

/** A certificate revocation list (RFC 5280, section 5.1). */
export interface RevocationList
  extends Pick<CertificateParts, 'issuer' | 'extensions' | 'body' | 'algorithm' | 'signature'> {
  /** Revocation dates, by serial number in hexadecimal. */
  revoked: ReadonlyMap<string, Date>;
  thisUpdate: Date;
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
  const named = parts[0].tag === SEQUENCE ? parts : parts.slice(1);
  const [, issuer, time, next, listed] = named as [Element, Element, Element, Element?, Element?];
  const nextUpdate = next && next.tag !== SEQUENCE && next.tag !== TAGGED_0 ? next : undefined;
  const entries = [next, listed].find((part) => part?.tag === SEQUENCE);
  const extensions = parts.find(({ tag }) => tag === TAGGED_0);
  if (extensions) requireKnown(elementAt(extensions.content));
  return {
    issuer: issuer.bytes,
    extensions: readExtensions(extensions),
    body: body.bytes,
    algorithm: readSignatureAlgorithm(algorithm),
    signature: signature.content.subarray(1),
    revoked: new Map(entries && [...elementsIn(entries.content)].map(readEntry)),
    thisUpdate: decodeTime(time),
    nextUpdate: nextUpdate && decodeTime(nextUpdate),
    verifiedBy: new Set(),
  };
}

function readEntry({ content }: Element): [string, Date] {
  const [serialNumber, date, extensions] = [...elementsIn(content)] as [Element, Element, Element?];
  if (extensions) requireKnown(extensions);
  return [serialNumber.content.toString('hex'), decodeTime(date)];
}

const BOOLEAN = 0x01;

/** A list must not be used if a critical extension of it or of an entry is unknown (RFC 5280, section 5.2). */
function requireKnown(extensions: Element): void {
  for (const extension of elementsIn(extensions.content)) {
    const [type, critical] = partsOf<Pair>(extension, 'extension');
    const isKnown = [DELTA_LIST, DISTRIBUTION_POINT].includes(identifierText(type.content));
    if (critical.tag === BOOLEAN && !isKnown) throw new Error('one of its critical extensions is not known');
  }
}

/** Milliseconds: by which the clocks of honest machines differ, and that a list counts that does not say when there will be a newer one. */
const [CLOCKS, COUNTS] = [5 * 60_000, 7 * 24 * 3_600_000];

/** Returns when the certificate was revoked, or why its status is unknown, or undefined if it is not revoked. */
export async function revocationOf(
  certificate: X509Certificate,
  lists: readonly RevocationList[],
  issuers: readonly X509Certificate[],
  now: Date,
): Promise<Date | Reason | undefined> {
  const { issuer, serialNumber, validity } = certificateParts(certificate);
  // Authorities take expired certificates off their lists (RFC 5280, section 3.3).
  const notAfter = decodeTime(validity[1] as Element);
  let found: Reason | undefined = reason('TRY_LATER.noList');
  for (const list of lists) {
    const { revoked, thisUpdate, nextUpdate = new Date(thisUpdate.getTime() + COUNTS) } = list;
    if (!sameName(list.issuer, issuer) || thisUpdate.getTime() > now.getTime() + CLOCKS) continue;
    if (!(await isGenuine(list, issuers))) continue;
    const since = revoked.get(serialNumber.toString('hex'));
    if (since) return since;
    if (!found || isPartial(list, certificate) || thisUpdate > notAfter) continue;
    found = nextUpdate >= now ? undefined : reason('TRY_LATER.expired', { at: nextUpdate.toISOString() });
  }
  return found;
}

const ADDRESS = 0x86;

/** The addresses of lists that a certificate names (RFC 5280, section 4.2.1.13). */
export function listsOf(certificate: X509Certificate): string[] {
  const points = certificateParts(certificate).extensions.get(DISTRIBUTION_POINTS);
  return points ? addressesIn(elementAt(points)) : [];
}

function addressesIn({ tag, content }: Element): string[] {
  if (tag === ADDRESS) return [content.toString('latin1')];
  return tag & CONSTRUCTED ? [...elementsIn(content)].flatMap(addressesIn) : [];
}

/** Tags by which a distribution point limits its list to some certificates or reasons (RFC 5280, section 5.2.5). */
const [REASONS, ...LEFT_OUT] = [0x83, 0x82, 0x84, 0x85];

/** Whether a list contains only some of the revoked certificates, or is not the part in which the certificate would be. */
function isPartial({ extensions }: RevocationList, certificate: X509Certificate): boolean {
  const point = extensions.get(DISTRIBUTION_POINT);
  const parts = point ? [...elementsIn(elementAt(point).content)] : [];
  const addresses = parts.filter(({ tag }) => tag === TAGGED_0).flatMap(addressesIn);
  const isOther = addresses.length > 0 && !listsOf(certificate).some((one) => addresses.includes(one));
  const isLeftOut = ({ tag, content }: Element) => tag === REASONS || (LEFT_OUT.includes(tag) && content[0] !== 0);
  return extensions.has(DELTA_LIST) || isOther || parts.some(isLeftOut);
}

/** Whether one of `issuers` is the issuer that the list names, and signed it. */
async function isGenuine(list: RevocationList, issuers: readonly X509Certificate[]): Promise<boolean> {
  for (const issuer of issuers) {
    const parts = certificateParts(issuer);
    if (list.verifiedBy.has(issuer.fingerprint256)) return true;
    if (!issuer.ca || !isNamedIssuer(parts, list) || !allowsKeyUse(parts, 'cRLSign')) continue;
    if (await isSignedBy(parts, list)) return list.verifiedBy.add(issuer.fingerprint256).size > 0;
  }
  return false;
}
