import { X509Certificate } from 'node:crypto';
import {
  type CertificateParts,
  certificateParts,
  extensionParts,
  isNamedIssuer,
  readCertificate,
} from './certificate-parts.ts';
import { allowsNames, pathLength, unfit, unfitForAll } from './certificate-rules.ts';
import { decodeTime, type Element, elementAt, requireBounded, SIGNATURE_LIMITS } from './elements.ts';
import { sameName } from './names.ts';
import { InvalidSignature } from './reasons.ts';
import { isGostKey } from './signature-algorithms.ts';
import { isSignedBy } from './signer-check.ts';

const NAME_CONSTRAINTS = '2.5.29.30';

/** Splits PEM text into one PEM block for each certificate, in order. */
export function certificateBlocks(pem: string): string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}

/**
 * Reads the certificates of a PEM text, in order.
 * @throws Error if one of them cannot be read, or exceeds `SIGNATURE_LIMITS`.
 */
export function readCertificates(pem: string): X509Certificate[] {
  return certificateBlocks(pem).map((text) => {
    const { raw } = new X509Certificate(text);
    requireBounded(raw);
    return readCertificate(elementAt(raw)).certificate;
  });
}

/** Says why the certificate is not valid at `now`; undefined if it is valid. */
export function dateProblem(certificate: X509Certificate, now: Date): InvalidSignature | undefined {
  try {
    const [from, to] = certificateParts(certificate).validity.map(decodeTime) as [Date, Date];
    if (now < from) return new InvalidSignature('NOT_YET_VALID', { from: from.toISOString() });
    return now > to ? new InvalidSignature('EXPIRED', { at: to.toISOString() }) : undefined;
  } catch {
    return new InvalidSignature('CHAIN_CONSTRAINTS_FAILURE.dates');
  }
}

/**
 * Returns those of `certificates` that are `authorities`, or were issued by them directly or through other `certificates`. An issuer must be
 * a certificate authority and valid at `now`. Authorities need not be root certificates. The search starts at the authorities, so signatures
 * are never verified with untrusted keys, and each certificate is used as an issuer only once.
 * @param tries how many more verifications with GOST keys are allowed.
 * @param problems gets why certificates that were issued by them are not returned.
 */
export async function issuedBy(
  authorities: readonly X509Certificate[],
  certificates: readonly X509Certificate[],
  now: Date,
  tries = { left: SIGNATURE_LIMITS.gostIssuers as number },
  problems: InvalidSignature[] = [],
): Promise<Set<X509Certificate>> {
  const known = new Set(authorities.map(({ fingerprint256 }) => fingerprint256));
  const trusted = new Set(certificates.filter(({ fingerprint256 }) => known.has(fingerprint256)));
  const others = new Set(certificates.filter((certificate) => !trusted.has(certificate)));
  // The list grows during the loop. `below`: how many authorities may follow. `above`: the name constraints of its issuers.
  const issuers = authorities.map((certificate) => ({ certificate, below: Infinity, above: [] as Element[][] }));
  for (const issuer of issuers) {
    const by = certificateParts(issuer.certificate);
    const named = [...others].filter((certificate) => isNamedIssuer(by, certificateParts(certificate)));
    const unfit = named.length > 0 ? unfitIssuer(by, issuer.below, now) : undefined;
    if (unfit) problems.push(unfit);
    const constraints = [...issuer.above, extensionParts(by, NAME_CONSTRAINTS)];
    for (const certificate of unfit ? [] : named) {
      // A GOST verification takes milliseconds. The search ends when the limit is reached.
      if (isGostKey(by.keyAlgorithm)) tries.left -= 1;
      if (tries.left < 0) return trusted;
      const parts = certificateParts(certificate);
      const isSelfIssued = certificate.ca && sameName(parts.subject.bytes, parts.issuer);
      const problem = await unfitIssued(by, parts, isSelfIssued ? [] : constraints);
      if (problem) problems.push(problem);
      if (problem !== undefined) continue;
      others.delete(certificate);
      trusted.add(certificate);
      const below = Math.min(issuer.below, pathLength(by)) - (isSelfIssued ? 0 : 1);
      issuers.push({ certificate, below, above: constraints });
    }
  }
  return trusted;
}

function unfitIssuer(parts: CertificateParts, below: number, now: Date): InvalidSignature | undefined {
  // `ca` also says whether the key usage allows it to sign certificates.
  if (!parts.certificate.ca) return unfit(parts, 'basicConstraints or keyUsage');
  if (below < 0) return unfit(parts, "issuers' pathLenConstraint");
  return dateProblem(parts.certificate, now) ? unfit(parts, 'validity') : unfitForAll(parts);
}

/** Null if this issuer has not signed the certificate. */
async function unfitIssued(by: CertificateParts, parts: CertificateParts, constraints: readonly Element[][]) {
  if (!parts.algorithm?.digest) return unfit(parts, `signatureAlgorithm ${parts.signatureAlgorithm}`);
  if (!(await isSignedBy(by, parts))) return null;
  return constraints.every((lists) => allowsNames(lists, parts)) ? undefined : unfit(parts, "issuers' nameConstraints");
}
