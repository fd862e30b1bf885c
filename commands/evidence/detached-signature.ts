import type { X509Certificate } from 'node:crypto';
import type { Readable } from 'node:stream';
import { bounded } from '../../core/limits.ts';
import type { DigestAlgorithm } from '../../packages/detached-signatures/create-signature.ts';
import { readCmsSignature } from '../../packages/detached-signatures/read-signature.ts';
import { checkSignature, type Verdict } from '../../packages/detached-signatures/signature-gate.ts';

/** The document that a signature is checked against. */
export interface CheckedDocument {
  digest(algorithm: DigestAlgorithm): Promise<Buffer>;
  open(): Promise<Readable>;
}

/** More than any stage accepts. */
export const LARGEST_SIGNATURE = 16 * 1024 * 1024;

/**
 * Checks a detached CMS signature with the certificate that it contains. The certificate must have been valid at `now`.
 * Whether its authority is to be trusted, the archive cannot say.
 */
export async function checkDetached(bytes: Uint8Array, document: CheckedDocument, now: Date): Promise<Verdict> {
  const described = { ...document, describeOwner: async () => undefined };
  return checkSignature(bytes, described, { level: 'check', authorities: [], now });
}

/** The certificates of a signature, those of its signers first. Empty if it cannot be read. */
export function certificatesOf(bytes: Uint8Array): X509Certificate[] {
  try {
    const { signers, certificates } = readCmsSignature(bytes);
    const own = signers.flatMap(({ certificate }) => (certificate ? [certificate] : []));
    return [...own, ...certificates.filter((one) => !own.includes(one))];
  } catch {
    return [];
  }
}

/** A name of a certificate on one line, such as `O=Partner, CN=Signer`. Longer than any real one, it is cut. */
export function oneLine(name: string): string {
  return bounded(name.replaceAll('\n', ', '), 500);
}
