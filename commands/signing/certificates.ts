import { X509Certificate } from 'node:crypto';
import { certificateBlocks, dateProblem } from '../../packages/detached-signatures/certificate-path.ts';
import { readLocalFile } from '../local-file.ts';
import { Refusal } from '../refusal.ts';

/**
 * Reads the certificates of a PEM file: first the signer's, which must be valid today, then its chain.
 * @throws Refusal when there is none, one can't be read, or the signer's is expired or not yet valid.
 */
export async function readCertificates(path: string): Promise<[X509Certificate, ...X509Certificate[]]> {
  const text = (await readLocalFile(path)).toString('latin1');
  const [signer, ...others] = certificateBlocks(text).map((block, position) => readCertificate(block, position, path));
  if (!signer) {
    throw new Refusal(`${path} has no certificate in PEM (-----BEGIN CERTIFICATE-----): nothing was signed.`);
  }
  requireDates(signer, path);
  return [signer, ...others];
}

function readCertificate(block: string, position: number, path: string): X509Certificate {
  try {
    return new X509Certificate(block);
  } catch {
    throw new Refusal(`Certificate number ${position + 1} in ${path} can't be read: nothing was signed.`);
  }
}

function requireDates(certificate: X509Certificate, path: string): void {
  const problem = dateProblem(certificate, new Date());
  if (problem === undefined) return;
  throw new Refusal(
    `The certificate in ${path} cannot be used: ${problem}. Nothing was signed. Sign with a valid one.`,
  );
}
