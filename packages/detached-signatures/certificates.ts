import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  BasicConstraints,
  Certificate,
  Extension,
  Extensions,
  id_ce_basicConstraints,
  Name,
  RelativeDistinguishedName,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from '@peculiar/asn1-x509';

export type TestKeyType = 'rsa-2048' | 'p-256' | 'p-384';

export interface TestCertificate {
  /** DER. */
  certificate: Buffer;
  privateKey: KeyObject;
  name: Name;
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

const commonNameType = '2.5.4.3';
const ecdsaWithSha256 = '1.2.840.10045.4.3.2';

/** Long enough for tests in virtual time: from a past year to the last year that UTCTime can represent. */
const VALIDITY = { notBefore: new Date(Date.UTC(2020, 0, 1)), notAfter: new Date(Date.UTC(2049, 11, 31)) };

/** A new signer with a certificate of its authority. */
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
  return { privateKey, ...issue(publicKey, authority, { ...options, commonName, isAuthority: true }) };
}

/** A certificate for the given public key. */
export function certify(
  publicKey: KeyObject,
  authority: TestCertificate,
  options: Omit<CertificateOptions, 'authority'> = {},
): Pick<TestCertificate, 'certificate' | 'name'> {
  return issue(publicKey, authority, { commonName: 'Test signer', ...options, isAuthority: false });
}

export function toPem(certificate: Uint8Array): string {
  const base64 = Buffer.from(certificate).toString('base64');
  return `-----BEGIN CERTIFICATE-----\n${base64.match(/.{1,64}/g)?.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function makeKeys(keyType: TestKeyType) {
  if (keyType === 'rsa-2048') return generateKeyPairSync('rsa', { modulusLength: 2048 });
  return generateKeyPairSync('ec', { namedCurve: keyType.toUpperCase() });
}

interface Issued extends Omit<CertificateOptions, 'authority'> {
  commonName: string;
  isAuthority: boolean;
}

function issue(
  key: KeyObject,
  issuer: Pick<TestCertificate, 'privateKey' | 'name'>,
  { commonName, validity = VALIDITY, isAuthority }: Issued,
): Pick<TestCertificate, 'certificate' | 'name'> {
  const name = nameOf(commonName);
  const signatureAlgorithm = new AlgorithmIdentifier({ algorithm: ecdsaWithSha256 });
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    serialNumber: new Uint8Array([0x01, ...randomBytes(8)]).buffer,
    signature: signatureAlgorithm,
    issuer: issuer.name,
    validity: new Validity(validity),
    subject: name,
    subjectPublicKeyInfo: AsnConvert.parse(key.export({ type: 'spki', format: 'der' }), SubjectPublicKeyInfo),
    extensions: new Extensions([basicConstraints(isAuthority)]),
  });
  const signatureValue = sign('sha256', Buffer.from(AsnConvert.serialize(tbsCertificate)), issuer.privateKey);
  const certificate = new Certificate({
    tbsCertificate,
    signatureAlgorithm,
    signatureValue: new Uint8Array(signatureValue).buffer,
  });
  return { certificate: Buffer.from(AsnConvert.serialize(certificate)), name };
}

function basicConstraints(cA: boolean): Extension {
  const value = new OctetString(AsnConvert.serialize(new BasicConstraints({ cA })));
  return new Extension({ extnID: id_ce_basicConstraints, critical: true, extnValue: value });
}

function nameOf(text: string): Name {
  const value = new AttributeValue({ utf8String: text });
  return new Name([new RelativeDistinguishedName([new AttributeTypeAndValue({ type: commonNameType, value })])]);
}
