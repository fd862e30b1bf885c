import { ContentInfo, SignedData } from '@peculiar/asn1-cms';
import { AsnConvert } from '@peculiar/asn1-schema';

/** Streebog-256 and GOST R 34.10-2012 (RFC 9215), which Node cannot compute. */
export const gost = { digest: '1.2.643.7.1.1.2.2', signature: '1.2.643.7.1.1.1.1' };

/** Changes the SignedData of a signature without signing again. */
export function changedSignature(signature: Uint8Array, change: (signedData: SignedData) => void): Buffer {
  const info = AsnConvert.parse(signature, ContentInfo);
  const signedData = AsnConvert.parse(info.content, SignedData);
  change(signedData);
  info.content = AsnConvert.serialize(signedData);
  return Buffer.from(AsnConvert.serialize(info));
}

/** Makes a signature look as if it was made with GOST algorithms. */
export function asGost(signature: Uint8Array): Buffer {
  return changedSignature(signature, ({ signerInfos: [signer] }) => {
    if (!signer) throw new Error('The signature has no signer.');
    signer.digestAlgorithm.algorithm = gost.digest;
    signer.signatureAlgorithm.algorithm = gost.signature;
  });
}

/** Context tag 0, constructed. In the fourth level it holds the certificates. */
const TAGGED = 0xa0;
const CERTIFICATES_LEVEL = 3;

/** The same signature in BER. Constructed elements get an indefinite length (X.690, 8.1.3.6), except inside certificates. */
export function asBer(der: Uint8Array, level = 0): Buffer {
  const bytes = Buffer.from(der);
  const tag = bytes[0] ?? 0;
  const isConstructed = (tag & 0x20) !== 0;
  if (!isConstructed) return bytes;
  const { headerLength } = lengthsOf(bytes);
  const children = elements(bytes.subarray(headerLength));
  const keep = level === CERTIFICATES_LEVEL && tag === TAGGED;
  const content = children.map((child) => (keep ? child : asBer(child, level + 1)));
  return Buffer.concat([Buffer.from([tag, 0x80]), ...content, Buffer.from([0, 0])]);
}

/** Adds noise after the signature (level 0), or as the last element of a level: 1 is ContentInfo, and higher levels are inside it. */
export function withNoise(der: Uint8Array, level: number, noise: Uint8Array): Buffer {
  const bytes = Buffer.from(der);
  if (level === 0) return Buffer.concat([bytes, noise]);
  const { headerLength } = lengthsOf(bytes);
  const children = elements(bytes.subarray(headerLength));
  const last = level === 1 ? noise : withNoise(children.pop() ?? noise, level - 1, noise);
  const content = Buffer.concat([...children, last]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return Buffer.concat([bytes.subarray(0, 1), Buffer.from([0x84]), length, content]);
}

/** The DER elements that follow one another. */
export function elements(bytes: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let rest = bytes; rest.length > 0; ) {
    const { headerLength, length } = lengthsOf(rest);
    found.push(rest.subarray(0, headerLength + length));
    rest = rest.subarray(headerLength + length);
  }
  return found;
}

/** The lengths of a DER element whose tag has one byte. */
export function lengthsOf(bytes: Buffer): { headerLength: number; length: number } {
  const first = bytes[1] ?? 0;
  if (first < 0x80) return { headerLength: 2, length: first };
  const octets = first & 0x7f;
  return { headerLength: 2 + octets, length: bytes.readUIntBE(2, octets) };
}
