import { constants, type KeyObject } from 'node:crypto';

const digest = (length: number, arc: number) => ({
  length,
  identifier: `2.16.840.1.101.3.4.2.${arc}`,
  withRsa: `1.2.840.113549.1.1.${10 + arc}`,
  withEcdsa: `1.2.840.10045.4.3.${1 + arc}`,
});

/** Digest algorithms that are still secure: bytes, and object identifiers (RFC 5754, sections 2, 3.2 and 3.3). */
export const digests = { sha256: digest(32, 1), sha384: digest(48, 2), sha512: digest(64, 3) };

export type DigestAlgorithm = keyof typeof digests;

/** RSA with PKCS #1 v1.5 (RFC 3370, section 3.2), RSASSA-PSS (RFC 4056), and ECDSA, with the signer's digest. */
export const RSA = '1.2.840.113549.1.1.1';
const RSASSA_PSS = '1.2.840.113549.1.1.10';
const ECDSA = '1.2.840.10045.2.1';

/** How to verify the signatures of one algorithm. */
export interface SignatureAlgorithm {
  /** The types of key that the algorithm works with, as Node names them. */
  keyTypes: readonly NonNullable<KeyObject['asymmetricKeyType']>[];
  /** The digest that the algorithm's identifier includes. Otherwise the signer's `digestAlgorithm` applies. */
  digest?: DigestAlgorithm;
  /** Options for Node's `verify`. */
  padding?: { padding: number; saltLength: number };
}

const rsa: SignatureAlgorithm = { keyTypes: ['rsa'] };
const ecdsa: SignatureAlgorithm = { keyTypes: ['ec'] };
const pss: SignatureAlgorithm = {
  keyTypes: ['rsa', 'rsa-pss'],
  padding: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO },
};

const all = Object.keys(digests) as DigestAlgorithm[];

/** By object identifier. */
export const digestAlgorithms: ReadonlyMap<string, DigestAlgorithm> = new Map(
  all.map((digest) => [digests[digest].identifier, digest]),
);

/** Algorithms that Node can verify, by object identifier. */
export const signatureAlgorithms: ReadonlyMap<string, SignatureAlgorithm> = new Map([
  [RSA, rsa],
  [RSASSA_PSS, pss],
  [ECDSA, ecdsa],
  ...all.map((digest) => [digests[digest].withRsa, { ...rsa, digest }] as const),
  ...all.map((digest) => [digests[digest].withEcdsa, { ...ecdsa, digest }] as const),
]);
