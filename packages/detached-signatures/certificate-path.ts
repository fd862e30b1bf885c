import { X509Certificate } from 'node:crypto';
import { type CertificateParts, certificateParts, isNamedIssuer, readCertificate } from './certificate-parts.ts';
import { elementAt, requireBounded, SIGNATURE_LIMITS } from './elements.ts';
import { InvalidSignature } from './reasons.ts';
import { isGostKey } from './signature-algorithms.ts';

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
  // Node 20 has these times only as strings.
  const [from, to] = [new Date(certificate.validFrom), new Date(certificate.validTo)];
  if (Number.isNaN(from.getTime()) || Number.isNaN(to.getTime()))
    return new InvalidSignature('CHAIN_CONSTRAINTS_FAILURE.dates');
  if (now < from) return new InvalidSignature('NOT_YET_VALID', { from: from.toISOString() });
  if (now > to) return new InvalidSignature('EXPIRED', { at: to.toISOString() });
  return undefined;
}

/**
 * Returns those of `certificates` that are `authorities`, or were issued by them directly or through other `certificates`. An issuer must be
 * a certificate authority and valid at `now`. Authorities need not be root certificates. The search starts at the authorities, so signatures
 * are never verified with untrusted keys, and each certificate is used as an issuer only once.
 * @param tries how many more verifications with GOST keys are allowed.
 */
export async function issuedBy(
  authorities: readonly X509Certificate[],
  certificates: readonly X509Certificate[],
  now: Date,
  tries = { left: SIGNATURE_LIMITS.gostIssuers as number },
): Promise<Set<X509Certificate>> {
  const known = new Set(authorities.map(({ fingerprint256 }) => fingerprint256));
  const trusted = new Set(certificates.filter(({ fingerprint256 }) => known.has(fingerprint256)));
  const others = new Set(certificates.filter((certificate) => !trusted.has(certificate)));
  // The list grows during the loop.
  const issuers = [...authorities];
  for (const issuer of issuers) {
    // `ca` also says whether the key usage allows it to sign certificates.
    if (!issuer.ca || dateProblem(issuer, now)) continue;
    const by = certificateParts(issuer);
    const named = [...others].filter((certificate) => isIssuer(by, certificate));
    for (const certificate of named) {
      // A GOST verification takes milliseconds. The search ends when the limit is reached.
      if (isGostKey(by.keyAlgorithm)) tries.left -= 1;
      if (tries.left < 0) return trusted;
      if (!(await hasSigned(by, certificate))) continue;
      others.delete(certificate);
      trusted.add(certificate);
      issuers.push(certificate);
    }
  }
  return trusted;
}

function isIssuer(by: CertificateParts, certificate: X509Certificate): boolean {
  if (!isGostKey(by.keyAlgorithm)) return certificate.checkIssued(by.certificate);
  // Node's checkIssued fails for keys that Node does not support.
  return isNamedIssuer(by, certificateParts(certificate));
}

/** RSA with MD2, MD4, MD5 or SHA-1; DSA and ECDSA with SHA-1. An attacker can make two certificates that share such a signature. */
const WEAK = /^1\.2\.840\.(113549\.1\.1\.[2-5]|10040\.4\.3|10045\.4\.1)$/;

async function hasSigned({ key, keyAlgorithm, certificate: issuer }: CertificateParts, certificate: X509Certificate) {
  if (WEAK.test(certificateParts(certificate).signatureAlgorithm)) return false;
  if (isGostKey(keyAlgorithm)) {
    const { isSignedByGost } = await import('./gost-signature.ts');
    return isSignedByGost(key, certificateParts(certificate));
  }
  try {
    return certificate.verify(issuer.publicKey);
  } catch {
    // Node does not support the issuer's key algorithm.
    return false;
  }
}
