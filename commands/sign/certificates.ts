import { X509Certificate } from 'node:crypto';
import { allows, certificateParts } from '@business-loan-orders/detached-signatures/certificate-parts';
import { certificateBlocks, dateProblem } from '@business-loan-orders/detached-signatures/certificate-path';
import { readLocalFile } from '../shared/local-file.ts';
import { Refusal } from '../shared/text.ts';

/**
 * Reads the certificates of a PEM file: first the signer's, which must be valid today, then its chain.
 * @throws Refusal when there is none, one can't be read, or the signer's is expired, not yet valid, or not for signing.
 */
export async function readCertificates(path: string): Promise<[X509Certificate, ...X509Certificate[]]> {
  const text = (await readLocalFile(path)).toString('latin1');
  const [first, ...others] = certificateBlocks(text).map((block, position) => {
    try {
      return new X509Certificate(block);
    } catch {
      throw new Refusal(`Certificate number ${position + 1} in ${path} can't be read: nothing was signed.`);
    }
  });
  if (!first) throw new Refusal(`${path} has no certificate in PEM (-----BEGIN CERTIFICATE-----): nothing was signed.`);
  requireForSigning(first, path);
  return [first, ...others];
}

function requireForSigning(certificate: X509Certificate, path: string): void {
  const isForSigning = allows(certificateParts(certificate), 'digitalSignature', 'nonRepudiation');
  const problem = isForSigning ? dateProblem(certificate, new Date()) : 'its key is not for signing documents';
  if (problem === undefined) return;
  throw new Refusal(
    `The certificate in ${path} cannot be used: ${problem}. Nothing was signed. Sign with a valid one.`,
  );
}
