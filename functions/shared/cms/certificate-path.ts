import { X509Certificate } from 'node:crypto';

/** The certificates of a PEM text, each still as text, in its order. */
export function certificateBlocks(pem: string): string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}

/**
 * The certificates of a PEM text, in its order.
 * @throws Error when one of them can't be read.
 */
export function readCertificates(pem: string): X509Certificate[] {
  return certificateBlocks(pem).map((text) => new X509Certificate(text));
}

/** What is wrong with the certificate's dates at `now`; nothing when it is valid. */
export function dateProblem(certificate: X509Certificate, now: Date): string | undefined {
  const { validFromDate, validToDate } = certificate;
  if (now < validFromDate) return `it is valid only from ${validFromDate.toISOString()}`;
  if (now > validToDate) return `it expired at ${validToDate.toISOString()}`;
  return undefined;
}

/**
 * Whether one of `authorities` issued the certificate, itself or through `intermediates`, each of which must be a certificate
 * authority within its dates. An authority of the stage is trusted as it stands, be it a root or not.
 */
export function isIssuedBy(
  certificate: X509Certificate,
  authorities: readonly X509Certificate[],
  intermediates: readonly X509Certificate[],
  now: Date,
): boolean {
  const usable = (issuers: readonly X509Certificate[]) =>
    issuers.filter((issuer) => !dateProblem(issuer, now) && hasIssued(issuer, certificate));
  if (authorities.some((authority) => authority.fingerprint256 === certificate.fingerprint256)) return true;
  if (usable(authorities).length > 0) return true;
  // Each step leaves out the one that it went through: a circle of certificates ends.
  return usable(intermediates).some((issuer) =>
    isIssuedBy(
      issuer,
      authorities,
      intermediates.filter((other) => other !== issuer),
      now,
    ),
  );
}

function hasIssued(issuer: X509Certificate, certificate: X509Certificate): boolean {
  if (!issuer.ca || !certificate.checkIssued(issuer)) return false;
  try {
    return certificate.verify(issuer.publicKey);
  } catch {
    // A key of an algorithm that Node can't compute proves nothing here.
    return false;
  }
}
