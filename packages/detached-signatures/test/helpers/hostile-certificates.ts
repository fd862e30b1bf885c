import { generateKeyPairSync, sign } from 'node:crypto';
import { AsnConvert } from '@peculiar/asn1-schema';
import { Certificate } from '@peculiar/asn1-x509';
import { makeAuthority, type TestCertificate } from '../../certificates.ts';
import { encoded, sequence } from '../../der.ts';
import { children, type Node, tree } from './signature-tree.ts';

export const trusted = makeAuthority({ commonName: 'CA' });

/** Copies of an authority: same name, same key, another serial number. Each of them has issued each other. */
export function copies({ certificate, privateKey }: TestCertificate, count: number): Buffer[] {
  const copy = AsnConvert.parse(certificate, Certificate);
  return Array.from({ length: count }, (_, number) => {
    copy.tbsCertificate.serialNumber = Uint8Array.of(1, number >> 8, number & 0xff).buffer;
    const body = Buffer.from(AsnConvert.serialize(copy.tbsCertificate));
    copy.signatureValue = new Uint8Array(sign('sha256', body, privateKey)).buffer;
    copy.tbsCertificateRaw = new Uint8Array(body).buffer;
    return Buffer.from(AsnConvert.serialize(copy));
  });
}

/** Authorities of one name with keys of their own, each issued by the one before. */
export function line(first: TestCertificate, count: number): Buffer[] {
  const made = [first];
  while (made.length <= count)
    made.push(makeAuthority({ commonName: 'CA', authority: made.at(-1) as TestCertificate }));
  return made.slice(1).map(({ certificate }) => certificate);
}

/** An RSA key with a modulus and an exponent of these numbers of bytes. */
export function hugeKey(modulus: number, exponent: number): Node {
  const key = tree(
    generateKeyPairSync('rsa', { modulusLength: 512 }).publicKey.export({ type: 'spki', format: 'der' }),
  );
  const odd = (bytes: number) => encoded(0x02, Buffer.alloc(bytes, 0x7f));
  const numbers = sequence(odd(modulus), odd(exponent));
  return { tag: 0x30, value: [children(key)[0] as Node, { tag: 0x03, value: Buffer.concat([Buffer.of(0), numbers]) }] };
}
