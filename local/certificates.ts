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
  /** What `createDetachedSignature` calls it. */
  keyType: 'rsa' | 'ecdsa';
}

const commonName = '2.5.4.3';
const ecdsaWithSha256 = '1.2.840.10045.4.3.2';

/** A signer of the key type given and the self-signed authority that issued its certificate, made anew for every call. */
export function makeSigner(keyType: TestKeyType, commonNameText = 'Test signer'): TestSigner {
  const authorityKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const authorityName = nameOf('Test authority');
  const authority: TestCertificate = {
    certificate: issue(authorityName, authorityKeys.publicKey, authorityName, authorityKeys.privateKey, true),
    privateKey: authorityKeys.privateKey,
    name: authorityName,
  };
  const { publicKey, privateKey } = makeKeys(keyType);
  const name = nameOf(commonNameText);
  const certificate = issue(name, publicKey, authority.name, authority.privateKey, false);
  return { certificate, privateKey, name, authority, keyType: keyType === 'rsa-2048' ? 'rsa' : 'ecdsa' };
}

export function toPem(certificate: Uint8Array): string {
  const base64 = Buffer.from(certificate).toString('base64');
  return `-----BEGIN CERTIFICATE-----\n${base64.match(/.{1,64}/g)?.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function makeKeys(keyType: TestKeyType) {
  if (keyType === 'rsa-2048') return generateKeyPairSync('rsa', { modulusLength: 2048 });
  return generateKeyPairSync('ec', { namedCurve: keyType.toUpperCase() });
}

function issue(subject: Name, key: KeyObject, issuer: Name, issuerKey: KeyObject, isAuthority: boolean): Buffer {
  const day = 24 * 60 * 60 * 1000;
  const signatureAlgorithm = new AlgorithmIdentifier({ algorithm: ecdsaWithSha256 });
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    serialNumber: new Uint8Array([0x01, ...randomBytes(8)]).buffer,
    signature: signatureAlgorithm,
    issuer,
    validity: new Validity({ notBefore: new Date(Date.now() - day), notAfter: new Date(Date.now() + day) }),
    subject,
    subjectPublicKeyInfo: AsnConvert.parse(key.export({ type: 'spki', format: 'der' }), SubjectPublicKeyInfo),
    extensions: new Extensions([basicConstraints(isAuthority)]),
  });
  const signatureValue = sign('sha256', Buffer.from(AsnConvert.serialize(tbsCertificate)), issuerKey);
  const certificate = new Certificate({
    tbsCertificate,
    signatureAlgorithm,
    signatureValue: new Uint8Array(signatureValue).buffer,
  });
  return Buffer.from(AsnConvert.serialize(certificate));
}

function basicConstraints(cA: boolean): Extension {
  const value = new OctetString(AsnConvert.serialize(new BasicConstraints({ cA })));
  return new Extension({ extnID: id_ce_basicConstraints, critical: true, extnValue: value });
}

function nameOf(text: string): Name {
  const value = new AttributeValue({ utf8String: text });
  return new Name([new RelativeDistinguishedName([new AttributeTypeAndValue({ type: commonName, value })])]);
}
