import { type KeyObject, X509Certificate } from 'node:crypto';
import {
  BOOLEAN,
  type Element,
  elementAt,
  elementsIn,
  identifierText,
  type Pair,
  partsOf,
  requireAtMost,
  requireBounded,
  TAGGED_0,
  TAGGED_3,
} from './elements.ts';
import { sameName } from './names.ts';
import { InvalidSignature } from './reasons.ts';
import { readSignatureAlgorithm, type SignatureAlgorithm } from './signature-algorithms.ts';

/** A certificate with the parts that Node does not expose (RFC 5280, section 4.1). */
export interface CertificateParts {
  certificate: X509Certificate;
  serialNumber: Buffer;
  /** DER. */
  issuer: Buffer;
  subject: Element;
  /** SubjectPublicKeyInfo, and the object identifier of its algorithm. */
  key: Element;
  keyAlgorithm: string;
  /** UTCTime or GeneralizedTime: from, and until. */
  validity: Pair;
  /** The DER of tbsCertificate, which the issuer signed. */
  body: Buffer;
  signatureAlgorithm: string;
  /** Undefined if it cannot be verified. */
  algorithm: SignatureAlgorithm | undefined;
  signature: Buffer;
  /** Values of the extensions that are read here, or are critical, by object identifier. */
  extensions: ReadonlyMap<string, Buffer>;
  keyIdentifier: Buffer | undefined;
}

const SUBJECT_KEY_IDENTIFIER = '2.5.29.14';
export const KEY_USAGE = '2.5.29.15';
const AUTHORITY_KEY_IDENTIFIER = '2.5.29.35';
export const DISTRIBUTION_POINTS = '2.5.29.31';
/** Extensions of revocation lists (RFC 5280, section 5.2). */
export const DELTA_LIST = '2.5.29.27';
export const DISTRIBUTION_POINT = '2.5.29.28';
const KEY_IDENTIFIER = 0x80;

/** Bit positions in the key usage extension (RFC 5280, section 4.2.1.3). */
const usages = { digitalSignature: 0, nonRepudiation: 1, cRLSign: 6 };

const known = new WeakMap<X509Certificate, CertificateParts>();

/** The parts of a parsed certificate. They are read once per certificate. */
export function certificateParts(certificate: X509Certificate): CertificateParts {
  const parts = known.get(certificate) ?? partsOfCertificate(elementAt(certificate.raw), certificate);
  known.set(certificate, parts);
  return parts;
}

/** @throws InvalidSignature if it cannot be read, or is larger than `SIGNATURE_LIMITS.certificateBytes`. */
export function readCertificate(element: Element): CertificateParts {
  requireAtMost('certificateBytes', element.bytes.length, 'bytes in a certificate');
  return partsOfCertificate(element, certificateOf(element));
}

function partsOfCertificate(element: Element, certificate: X509Certificate): CertificateParts {
  const [body, algorithm, signature] = partsOf<[Element, Element, Element]>(element, 'certificate');
  const parts = partsOf(body, 'tbsCertificate');
  const named = parts[0].tag === TAGGED_0 ? parts.slice(1) : parts;
  const [serialNumber, , issuer, dates, subject, key] = named as [Element, Element, Element, Element, Element, Element];
  const extensions = readExtensions(parts.find(({ tag }) => tag === TAGGED_3));
  const keyIdentifier = extensions.get(SUBJECT_KEY_IDENTIFIER);
  return {
    certificate,
    serialNumber: serialNumber.content,
    issuer: issuer.bytes,
    subject,
    key,
    keyAlgorithm: algorithmOf(partsOf<Pair>(key, 'publicKey')[0]),
    validity: [...elementsIn(dates.content)] as Pair,
    body: body.bytes,
    signatureAlgorithm: algorithmOf(algorithm),
    // RFC 5280, section 4.1.1.2: the same as in the signed part.
    algorithm: named[1]?.bytes.equals(algorithm.bytes) ? readSignatureAlgorithm(algorithm) : undefined,
    // The first octet is the number of unused bits. It must be 0.
    signature: signature.content.subarray(signature.content[0] === 0 ? 1 : 0),
    extensions,
    keyIdentifier: keyIdentifier && elementAt(keyIdentifier).content,
  };
}

export const algorithmOf = (element: Element): string => identifierText(partsOf(element, 'algorithm')[0].content);

/** Node searches for PEM text first, even inside DER, and could return a different certificate from the one whose bounds were checked. */
function certificateOf({ bytes }: Element): X509Certificate {
  let certificate: X509Certificate | undefined;
  try {
    certificate = new X509Certificate(bytes);
  } catch {
    // Reported below.
  }
  if (certificate?.raw.equals(bytes)) return certificate;
  throw new InvalidSignature('FORMAT_FAILURE.certificate');
}

/** Malformed values are refused. If an extension occurs twice, the first one wins. */
export function readExtensions(extensions: Element | undefined): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  if (!extensions) return found;
  for (const extension of elementsIn(partsOf(extensions, 'extensions')[0].content)) {
    const parts = partsOf(extension, 'extension');
    const [type, { content }] = [identifierText(parts[0].content), parts.at(-1) as Element];
    const isCritical = parts[1]?.tag === BOOLEAN && parts[1].content[0] !== 0;
    if ((!KNOWN_EXTENSIONS.has(type) && !isCritical) || found.has(type)) continue;
    requireBounded(content);
    found.set(type, content);
  }
  return found;
}

/** Among them those of policies (32, 33, 54), as no policy is required, and cRLDistributionPoints. */
export const KNOWN_EXTENSIONS: ReadonlySet<string> = new Set(
  [14, 15, 17, 19, 27, 28, 30, 31, 32, 33, 35, 37, 54].map((arc) => `2.5.29.${arc}`),
);

/** The elements of an extension's value. */
export function extensionParts({ extensions }: Pick<CertificateParts, 'extensions'>, identifier: string): Element[] {
  const value = extensions.get(identifier);
  return value ? [...elementsIn(elementAt(value).content)] : [];
}

/** Undefined if Node does not support the key's algorithm. */
export function publicKeyOf(certificate: X509Certificate): KeyObject | undefined {
  try {
    return certificate.publicKey;
  } catch {
    return undefined;
  }
}

/** Whether the certificate's key may be used for one of `wanted`. Without the key usage extension, every use is allowed. */
export function allowsKeyUse({ extensions }: CertificateParts, ...wanted: (keyof typeof usages)[]): boolean {
  const value = extensions.get(KEY_USAGE);
  if (!value) return true;
  const bits = elementAt(value).content;
  return wanted.some((use) => ((bits[1] ?? 0) & (0x80 >> usages[use])) !== 0);
}

/** Whether `issued`, a certificate or a revocation list, names this certificate as its issuer. If both have a key identifier, it must match. */
export function isNamedIssuer(
  { subject, keyIdentifier }: CertificateParts,
  issued: Pick<CertificateParts, 'issuer' | 'extensions'>,
): boolean {
  if (!sameName(subject.bytes, issued.issuer)) return false;
  const [named] = extensionParts(issued, AUTHORITY_KEY_IDENTIFIER);
  return named?.tag !== KEY_IDENTIFIER || !keyIdentifier || keyIdentifier.equals(named.content);
}
