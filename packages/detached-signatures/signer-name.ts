import type { X509Certificate } from 'node:crypto';
import { certificateParts } from './certificate-parts.ts';
import { attributesOf } from './names.ts';

/** The signer's identity, from the certificate. It is personal data: display it, never log it. */
export interface SignerName {
  name?: string;
  organization?: string;
  /** Taxpayer number of the organization or, without one, of the person. */
  inn?: string;
  /** Taxpayer number of the person, if `inn` is the organization's. */
  personInn?: string;
  /** SHA-256 of the certificate, in hexadecimal with colons. */
  fingerprint: string;
}

export function signerText({ name, organization, inn, personInn, fingerprint }: SignerName): string {
  const known = [name, organization, inn && `INN ${inn}`, personInn && `of the person ${personInn}`].filter(Boolean);
  return known.length > 0 ? known.join(', ') : `certificate ${fingerprint}`;
}

const INN_FORMAT = /^(\d{10}|\d{12})$/;
const FINGERPRINT_FORMAT = /^([0-9A-F]{2}:){31}[0-9A-F]{2}$/i;

/** Whether the text is a fingerprint, which identifies one certificate. Names and INNs are only claims of the issuer. */
export const isFingerprint = (text: string): boolean => FINGERPRINT_FORMAT.test(text);

/** Whether one of the texts is the signer's INN, certificate fingerprint or common name. */
export function isNamed({ name, inn, personInn, fingerprint }: SignerName, texts: readonly string[]): boolean {
  return texts.some((text) => {
    if (INN_FORMAT.test(text)) return text === inn || text === personInn;
    return isFingerprint(text) ? text.toUpperCase() === fingerprint : text === name;
  });
}

const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';
/** Attributes of Russian certificates: INNLE (organization), and INN (person; in older certificates also organization). */
const [ORGANIZATION_INN, INN] = ['1.2.643.100.4', '1.2.643.3.131.1.1'];
const LONGEST = 200;

export function signerName(certificate: X509Certificate): SignerName {
  const attributes = new Map(
    attributesOf(certificateParts(certificate).subject).map(([type, text]) => [type, text.slice(0, LONGEST)]),
  );
  const name = attributes.get(COMMON_NAME);
  const organization = attributes.get(ORGANIZATION);
  // Older certificates pad an organization's 10 digits with zeros to a person's 12.
  const ofPerson = attributes.get(INN)?.replace(/^00(?=\d{10}$)/, '');
  const inn = attributes.get(ORGANIZATION_INN) ?? ofPerson;
  return {
    ...(name !== undefined && { name }),
    ...(organization !== undefined && { organization }),
    ...(inn !== undefined && { inn }),
    ...(ofPerson !== undefined && ofPerson !== inn && { personInn: ofPerson }),
    fingerprint: certificate.fingerprint256,
  };
}
