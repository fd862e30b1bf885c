import { type CertificateOptions, type Issuer, issue, nameOf } from './certificates.ts';
import { createDetachedSignature } from './create-signature.ts';
import { type GostCurve, gostCurves } from './gost-curves.ts';
import { type GostPrivateKey, gostPublicKey, makeGostKey, signGost } from './gost-signature.ts';
import { type GostDigest, gostDigests } from './signature-algorithms.ts';
import { Streebog } from './streebog.ts';

/** A certificate with a GOST key, for tests and local use. */
export interface GostCertificate {
  /** DER. */
  certificate: Buffer;
  name: Buffer;
  key: GostPrivateKey;
}

export interface GostSigner extends GostCertificate {
  authority: GostCertificate;
}

export interface GostCertificateOptions extends Omit<CertificateOptions, 'authority'> {
  authority?: GostCertificate;
  /** Object identifier. Default: parameter set A of RFC 7836 for the key's length. */
  parameterSet?: string;
}

/** Signs data, for `createDetachedSignature` and for certificates. */
export function gostSign(key: GostPrivateKey, data: Uint8Array): Buffer {
  return signGost(key, new Streebog(gostDigests[key.digest].length).update(data).digest());
}

/** A detached CMS signature over a document with a GOST key of 256 bits. */
export async function signWithGost({ certificate, key }: GostSigner, document: Uint8Array): Promise<Uint8Array> {
  return createDetachedSignature({
    digest: new Streebog(32).update(document).digest(),
    digestAlgorithm: 'streebog256',
    certificates: [certificate],
    keyType: 'gost',
    signingTime: new Date(),
    sign: async (data) => gostSign(key, data),
  });
}

export function makeGostSigner(
  digest: GostDigest,
  { authority = makeGostAuthority(digest), ...options }: GostCertificateOptions = {},
): GostSigner {
  return { authority, ...make(digest, false, { commonName: 'Test signer', authority, ...options }) };
}

/** A new certificate authority: self-signed, or issued by `options.authority`. */
export function makeGostAuthority(digest: GostDigest, options: GostCertificateOptions = {}): GostCertificate {
  return make(digest, true, { commonName: 'Test authority', ...options });
}

function make(
  digest: GostDigest,
  isAuthority: boolean,
  {
    parameterSet = `1.2.643.7.1.2.1.${digest === 'streebog256' ? 1 : 2}.1`,
    authority,
    ...options
  }: GostCertificateOptions,
): GostCertificate {
  const { commonName = '' } = options;
  const key = makeGostKey(digest, gostCurves.get(parameterSet) as GostCurve);
  const issuer = issuerOf(authority ?? { key, name: nameOf(commonName) });
  return { key, ...issue(gostPublicKey(key, parameterSet), issuer, { ...options, commonName, isAuthority }) };
}

function issuerOf({ name, key }: Pick<GostCertificate, 'name' | 'key'>): Issuer {
  return { name, algorithm: gostDigests[key.digest].withGost, sign: (body) => gostSign(key, body) };
}
