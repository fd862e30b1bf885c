import { X509Certificate } from 'node:crypto';

/** Splits a PEM text into its certificates, in order, each still as text. */
export function certificateBlocks(pem: string): string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}

/**
 * Reads the certificates of a PEM text, in order.
 * @throws Error if one of them cannot be read.
 */
export function readCertificates(pem: string): X509Certificate[] {
  return certificateBlocks(pem).map((text) => new X509Certificate(text));
}

/** Says why the certificate is not valid at `now`; undefined if it is valid. */
export function dateProblem(certificate: X509Certificate, now: Date): string | undefined {
  const { validFromDate, validToDate } = certificate;
  if (now < validFromDate) return `it is not valid before ${validFromDate.toISOString()}`;
  if (now > validToDate) return `it expired at ${validToDate.toISOString()}`;
  return undefined;
}

/**
 * Whether one of `authorities` issued the certificate, directly or through `intermediates`. Every issuer must be a
 * certificate authority and valid at `now`. An authority is trusted whether or not it is a root certificate.
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
  // Each step removes the issuer it used. So a circle of certificates ends.
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
    // Node does not support the issuer's key algorithm.
    return false;
  }
}
