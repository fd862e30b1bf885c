import { createPublicKey, type X509Certificate } from 'node:crypto';
import type { DigestAlgorithm, KeyType } from '@business-loan-orders/detached-signatures/create-signature';

/** How a KMS key signs, and what a CMS signature calls it. */
export interface KmsAlgorithm {
  /** The `SigningAlgorithm` of KMS. */
  name: 'RSASSA_PKCS1_V1_5_SHA_256' | 'ECDSA_SHA_256' | 'ECDSA_SHA_384';
  keyType: KeyType;
  digestAlgorithm: DigestAlgorithm;
}

const rsa: KmsAlgorithm = { name: 'RSASSA_PKCS1_V1_5_SHA_256', keyType: 'rsa', digestAlgorithm: 'sha256' };

/** The algorithm of each kind of key (`KeySpec`). KMS prescribes the digest for each curve. */
export const kmsAlgorithms: Record<string, KmsAlgorithm> = {
  RSA_2048: rsa,
  RSA_3072: rsa,
  RSA_4096: rsa,
  ECC_NIST_P256: { name: 'ECDSA_SHA_256', keyType: 'ecdsa', digestAlgorithm: 'sha256' },
  ECC_NIST_P384: { name: 'ECDSA_SHA_384', keyType: 'ecdsa', digestAlgorithm: 'sha384' },
};

/** The certificates with the key's own one first; undefined if none of them is. `publicKey` is SubjectPublicKeyInfo in DER. */
export function ownFirst(certificates: X509Certificate[], publicKey: Uint8Array): X509Certificate[] | undefined {
  const ofKey = createPublicKey({ key: Buffer.from(publicKey), format: 'der', type: 'spki' });
  const own = certificates.find((certificate) => certificate.publicKey.equals(ofKey));
  return own && [own, ...certificates.filter((certificate) => certificate !== own)];
}
