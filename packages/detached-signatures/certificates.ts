import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { encoded, encodeOid, encodeTime, sequence } from './der.ts';
import { BIT_STRING, OCTET_STRING, SET, TAGGED_0, TAGGED_3 } from './elements.ts';
import { shaDigests } from './signature-algorithms.ts';

export type TestKeyType = 'rsa-2048' | 'p-256' | 'p-384';

export interface TestCertificate {
  /** DER. */
  certificate: Buffer;
  privateKey: KeyObject;
  /** DER. */
  name: Buffer;
}

export interface TestSigner extends TestCertificate {
  authority: TestCertificate;
  /** The key type for `createDetachedSignature`. */
  keyType: 'rsa' | 'ecdsa';
}

export interface CertificateOptions {
  commonName?: string;
  validity?: { notBefore: Date; notAfter: Date };
  /** The issuer. Default: a new self-signed authority. */
  authority?: TestCertificate;
}

const COMMON_NAME = '2.5.4.3';
const BASIC_CONSTRAINTS = '2.5.29.19';
const [BOOLEAN, INTEGER, UTF8_STRING] = [0x01, 0x02, 0x0c];
const TRUE = encoded(BOOLEAN, Buffer.of(0xff));

/** Long enough for tests in virtual time. 2049 is the last year that UTCTime can represent. */
const VALIDITY = { notBefore: new Date(Date.UTC(2020, 0, 1)), notAfter: new Date(Date.UTC(2049, 11, 31)) };

export function makeSigner(
  keyType: TestKeyType,
  { authority = makeAuthority(), ...options }: CertificateOptions = {},
): TestSigner {
  const { publicKey, privateKey } = makeKeys(keyType);
  const { certificate, name } = certify(publicKey, authority, { commonName: 'Test signer', ...options });
  return { certificate, privateKey, name, authority, keyType: keyType === 'rsa-2048' ? 'rsa' : 'ecdsa' };
}

/** A new certificate authority: self-signed, or issued by `options.authority`. */
export function makeAuthority({ commonName = 'Test authority', ...options }: CertificateOptions = {}): TestCertificate {
  const { publicKey, privateKey } = makeKeys('p-256');
  const name = nameOf(commonName);
  const { authority = { privateKey, name } } = options;
  const issued = issue(spkiOf(publicKey), issuerOf(authority), { ...options, commonName, isAuthority: true });
  return { privateKey, ...issued };
}

export function certify(
  publicKey: KeyObject,
  authority: TestCertificate,
  options: Omit<CertificateOptions, 'authority'> = {},
): Pick<TestCertificate, 'certificate' | 'name'> {
  return issue(spkiOf(publicKey), issuerOf(authority), { commonName: 'Test signer', ...options, isAuthority: false });
}

export function toPem(certificate: Uint8Array): string {
  const base64 = Buffer.from(certificate).toString('base64');
  return `-----BEGIN CERTIFICATE-----\n${base64.match(/.{1,64}/g)?.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function makeKeys(keyType: TestKeyType) {
  if (keyType === 'rsa-2048') return generateKeyPairSync('rsa', { modulusLength: 2048 });
  return generateKeyPairSync('ec', { namedCurve: keyType.toUpperCase() });
}

const spkiOf = (key: KeyObject) => key.export({ type: 'spki', format: 'der' });

export interface Issuer {
  name: Buffer;
  /** The object identifier of the signature's algorithm. */
  algorithm: string;
  sign: (body: Buffer) => Buffer;
}

function issuerOf({ name, privateKey }: Pick<TestCertificate, 'name' | 'privateKey'>): Issuer {
  return { name, algorithm: shaDigests.sha256.withEcdsa, sign: (body) => sign('sha256', body, privateKey) };
}

export interface Issued extends Omit<CertificateOptions, 'authority'> {
  commonName: string;
  isAuthority: boolean;
}

/** @param key the SubjectPublicKeyInfo. */
export function issue(
  key: Buffer,
  issuer: Issuer,
  { commonName, validity = VALIDITY, isAuthority }: Issued,
): Pick<TestCertificate, 'certificate' | 'name'> {
  const name = nameOf(commonName);
  const algorithm = sequence(encodeOid(issuer.algorithm));
  const constraints = sequence(...(isAuthority ? [TRUE] : []));
  const body = sequence(
    // Version 3 (RFC 5280, section 4.1).
    encoded(TAGGED_0, encoded(INTEGER, Buffer.of(2))),
    encoded(INTEGER, Buffer.of(1), randomBytes(8)),
    algorithm,
    issuer.name,
    sequence(encodeTime(validity.notBefore), encodeTime(validity.notAfter)),
    name,
    key,
    encoded(TAGGED_3, sequence(sequence(encodeOid(BASIC_CONSTRAINTS), TRUE, encoded(OCTET_STRING, constraints)))),
  );
  const signature = encoded(BIT_STRING, Buffer.of(0), issuer.sign(body));
  return { certificate: sequence(body, algorithm, signature), name };
}

export const nameOf = (text: string) =>
  sequence(encoded(SET, sequence(encodeOid(COMMON_NAME), encoded(UTF8_STRING, Buffer.from(text)))));
