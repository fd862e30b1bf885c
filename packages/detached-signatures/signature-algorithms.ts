import { constants, type KeyObject } from 'node:crypto';
import { toDer } from './der.ts';
import { type Element, identifierText, partsOf } from './elements.ts';

const digest = (length: number, arc: number) => ({
  length,
  identifier: `2.16.840.1.101.3.4.2.${arc}`,
  withRsa: `1.2.840.113549.1.1.${10 + arc}`,
  withEcdsa: `1.2.840.10045.4.3.${1 + arc}`,
});

/** Accepted SHA digests: length in bytes, and object identifiers (RFC 5754, sections 2, 3.2 and 3.3). */
export const shaDigests = { sha256: digest(32, 1), sha384: digest(48, 2), sha512: digest(64, 3) };

const streebog = (length: 32 | 64, arc: number) => ({
  length,
  identifier: `1.2.643.7.1.1.2.${arc}`,
  withGost: `1.2.643.7.1.1.3.${arc}`,
  key: `1.2.643.7.1.1.1.${arc - 1}`,
});

/** Streebog digests, with the identifiers of their GOST R 34.10-2012 signatures and keys (RFC 9215, sections 2 to 4). */
export const gostDigests = { streebog256: streebog(32, 2), streebog512: streebog(64, 3) };

export const digests = { ...shaDigests, ...gostDigests };

export type ShaDigest = keyof typeof shaDigests;
export type GostDigest = keyof typeof gostDigests;
export type DigestAlgorithm = keyof typeof digests;

export const isGostKey = (identifier: string) => Object.values(gostDigests).some(({ key }) => key === identifier);
export const isGostDigest = (name: DigestAlgorithm | 'sha1'): name is GostDigest => name in gostDigests;

/** RSA with PKCS #1 v1.5 (RFC 3370, section 3.2), RSASSA-PSS (RFC 4056) and ECDSA. `digestAlgorithm` of the signer names the digest. */
export const RSA = '1.2.840.113549.1.1.1';
const RSASSA_PSS = '1.2.840.113549.1.1.10';
const ECDSA = '1.2.840.10045.2.1';

export interface SignatureAlgorithm {
  /** Node's names for the key types of the algorithm. Node does not support GOST keys. */
  keyTypes: readonly NonNullable<KeyObject['asymmetricKeyType']>[] | 'gost';
  /** The digest that the algorithm's identifier includes. Otherwise the signer's `digestAlgorithm` applies. */
  digest?: DigestAlgorithm;
  padding?: { padding: number; saltLength: number };
}

const rsa: SignatureAlgorithm = { keyTypes: ['rsa'] };
const ecdsa: SignatureAlgorithm = { keyTypes: ['ec'] };
const pss: SignatureAlgorithm = {
  keyTypes: ['rsa', 'rsa-pss'],
  padding: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
};

const gost: SignatureAlgorithm = { keyTypes: 'gost' };

const sha = Object.keys(shaDigests) as ShaDigest[];
const streebogs = Object.keys(gostDigests) as GostDigest[];

/** By object identifier. */
export const digestAlgorithms: ReadonlyMap<string, DigestAlgorithm> = new Map(
  [...sha, ...streebogs].map((digest) => [digests[digest].identifier, digest]),
);

/** Digest algorithms that are not secure, by object identifier. */
export const weakDigests: ReadonlyMap<string, string> = new Map([
  ['1.2.840.113549.2.5', 'MD5'],
  ['1.3.14.3.2.26', 'SHA-1'],
  ['1.2.643.2.2.9', 'GOST R 34.11-94'],
]);

/** Algorithms that can be verified, by object identifier. */
export const signatureAlgorithms: ReadonlyMap<string, SignatureAlgorithm> = new Map([
  [RSA, rsa],
  [RSASSA_PSS, pss],
  [ECDSA, ecdsa],
  ...sha.map((digest) => [shaDigests[digest].withRsa, { ...rsa, digest }] as const),
  ...sha.map((digest) => [shaDigests[digest].withEcdsa, { ...ecdsa, digest }] as const),
  // CMS may name the algorithm of the key or of the signature (RFC 9548, appendix A).
  ...streebogs.map((digest) => [gostDigests[digest].key, { ...gost, digest }] as const),
  ...streebogs.map((digest) => [gostDigests[digest].withGost, { ...gost, digest }] as const),
]);

/** RSASSA-PSS-params in DER (RFC 4055, section 3.1): a SHA-2 digest, MGF1 with the same one, the length of the salt. Without, SHA-1 counts. */
const PSS =
  /^30..a0..30..060960864801650304020([1-3])(?:0500)?a1..30..06092a864886f70d01010830..060960864801650304020\1(?:0500)?(?:a20[34]020[12]((?:..){1,2}))?(?:a303020101)?$/;
const DEFAULT_SALT = '14';

/** The algorithm of an AlgorithmIdentifier; undefined if it cannot be verified, or not with these parameters. */
export function readSignatureAlgorithm(element: Element): SignatureAlgorithm | undefined {
  const [{ content }, parameters] = partsOf(element, 'algorithm');
  const known = signatureAlgorithms.get(identifierText(content));
  if (!known?.padding) return known;
  const found = parameters && PSS.exec(toDer(parameters).toString('hex'));
  const [, number, salt = DEFAULT_SALT] = found ?? [];
  const digest = sha[Number(number) - 1];
  return digest && { ...known, digest, padding: { ...known.padding, saltLength: Number.parseInt(salt, 16) } };
}
