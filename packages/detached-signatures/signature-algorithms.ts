import { constants, type KeyObject } from 'node:crypto';
import type { DigestAlgorithm } from './create-signature.ts';

/** Digest algorithms that are still secure, by object identifier (RFC 5754, section 2). */
export const digestAlgorithms: ReadonlyMap<string, DigestAlgorithm> = new Map([
  ['2.16.840.1.101.3.4.2.1', 'sha256'],
  ['2.16.840.1.101.3.4.2.2', 'sha384'],
  ['2.16.840.1.101.3.4.2.3', 'sha512'],
]);

/** How to verify the signatures of one algorithm. */
export interface SignatureAlgorithm {
  /** The types of key that the algorithm works with, as Node names them. */
  keyTypes: readonly NonNullable<KeyObject['asymmetricKeyType']>[];
  /** The digest that the algorithm's identifier includes. Otherwise the signer's `digestAlgorithm` applies. */
  digest?: DigestAlgorithm;
  /** Options for Node's `verify`. */
  padding?: { padding: number; saltLength: number };
}

const rsa = (digest?: DigestAlgorithm): SignatureAlgorithm => ({ keyTypes: ['rsa'], ...(digest && { digest }) });
const ecdsa = (digest?: DigestAlgorithm): SignatureAlgorithm => ({ keyTypes: ['ec'], ...(digest && { digest }) });
const pss: SignatureAlgorithm = {
  keyTypes: ['rsa', 'rsa-pss'],
  padding: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO },
};

/**
 * Algorithms that Node can verify, by object identifier: RSA with PKCS #1 v1.5 (RFC 3370, 3.2; RFC 5754, 3.2), RSASSA-PSS
 * with the signer's digest (RFC 4056), ECDSA (RFC 5754, 3.3).
 */
export const signatureAlgorithms: ReadonlyMap<string, SignatureAlgorithm> = new Map([
  ['1.2.840.113549.1.1.1', rsa()],
  ['1.2.840.113549.1.1.11', rsa('sha256')],
  ['1.2.840.113549.1.1.12', rsa('sha384')],
  ['1.2.840.113549.1.1.13', rsa('sha512')],
  ['1.2.840.113549.1.1.10', pss],
  ['1.2.840.10045.2.1', ecdsa()],
  ['1.2.840.10045.4.3.2', ecdsa('sha256')],
  ['1.2.840.10045.4.3.3', ecdsa('sha384')],
  ['1.2.840.10045.4.3.4', ecdsa('sha512')],
]);
