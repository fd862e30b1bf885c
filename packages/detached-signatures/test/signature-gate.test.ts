import { createPublicKey, sign, X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  type CertificateOptions,
  issue,
  makeAuthority,
  makeSigner,
  type TestCertificate,
  type TestSigner,
} from '../certificates.ts';
import { encoded } from '../der.ts';
import { checkSignature, type Gate } from '../signature-gate.ts';
import { asUnknown, changedSignature, content, documentOf, signature as signed, unknown } from './helpers/cms.ts';
import {
  asBer,
  attributesOf,
  certificatesOf,
  children,
  type Node,
  signersOf,
  tree,
  written,
} from './helpers/signature-tree.ts';

const now = new Date('2026-03-04T05:06:07Z');
const gate: Gate = { level: 'check', authorities: [], now };

const document = documentOf(content);
const signature = (signer: TestSigner, more: Parameters<typeof signed>[1] = {}) =>
  signed(signer, { signingTime: now, ...more });
const check = (bytes: Uint8Array, change: Partial<Gate> = {}) =>
  checkSignature(bytes, document, { ...gate, ...change });
const refused = (problem: string | RegExp) =>
  expect.objectContaining({ passed: false, problem: expect.stringMatching(problem) });
const certificateOf = ({ certificate }: TestCertificate) => new X509Certificate(certificate);

test('a signature of other bytes is refused, and the other document is named if it is known', async () => {
  const other = await signature(makeSigner('p-256'), { over: Buffer.from('other') });
  expect(await check(other)).toEqual(refused('is not the signature of this document'));
  const known = { ...document, findOwner: async () => ({ document: 'B' }) };
  expect(await checkSignature(other, known, gate)).toEqual(refused('It is the signature of the document B.'));
});

test('a signature that was changed or made with another key is refused', async () => {
  const signer = makeSigner('p-256');
  const byAnother = await signature({ ...signer, privateKey: makeSigner('p-256').privateKey });
  expect(await check(byAnother)).toEqual(refused('does not match'));
  const good = await signature(signer);
  const time = good.indexOf('260304050607');
  expect(time).toBeGreaterThan(0);
  good[time] = 0x31;
  expect(await check(good)).toEqual(refused('does not match'));
});

test('an algorithm that does not match the key is refused', async () => {
  const signer = makeSigner('p-256');
  expect(await check(await signature({ ...signer, keyType: 'rsa' }))).toEqual(refused('does not match the'));
});

test.each<[string, CertificateOptions['validity'] & object, RegExp]>([
  [
    'expired',
    { notBefore: new Date('2025-01-01'), notAfter: new Date('2026-03-04T05:06:06Z') },
    /expired at 2026-03-04/,
  ],
  [
    'is not valid yet',
    { notBefore: new Date('2026-03-05'), notAfter: new Date('2027-01-01') },
    /not valid before 2026-03-05/,
  ],
])('a certificate that %s is refused, even with an unknown algorithm', async (_name, validity, problem) => {
  const bytes = await signature(makeSigner('p-256', { validity }));
  expect(await check(bytes)).toEqual(refused(problem));
  expect(await check(asUnknown(bytes))).toEqual(refused(problem));
});

test('a certificate that expired in the year 49 is not read as valid until 2049', async () => {
  const parts = tree(await signature(makeSigner('p-256')));
  const [, until] = children(children(children(certificatesOf(parts)[0])[0])[4]);
  Object.assign(until ?? {}, { tag: 0x18, value: Buffer.from('00490101000000Z') });
  expect(await check(written(parts))).toMatchObject({ code: 'EXPIRED', params: { at: '0049-01-01T00:00:00.000Z' } });
});

test('a signature of an unknown algorithm is refused, unless the caller accepts it and no strict gate forbids it', async () => {
  const known = makeSigner('p-256');
  const authorities = [certificateOf(known.authority)];
  const bytes = asUnknown(await signature(known));
  expect(await check(bytes)).toEqual(refused(unknown.digest));
  const unchecked = { problem: expect.stringContaining(unknown.digest) };
  expect(await check(bytes, { unchecked: 'accept' })).toMatchObject({ passed: true, unchecked });
  expect(await check(bytes, { unchecked: 'accept', level: 'strict' })).toEqual(refused(unknown.digest));
  expect(await check(bytes, { unchecked: 'accept', authorities })).toMatchObject({ passed: true });
  const stranger = asUnknown(await signature(makeSigner('p-256')));
  expect(await check(stranger, { unchecked: 'accept', authorities })).toEqual(refused('not issued by an authority'));
  const keyOnly = changedSignature(await signature(makeSigner('p-256')), ({ signerInfos: [signer] }) => {
    if (signer) signer.signatureAlgorithm.algorithm = unknown.signature;
  });
  expect(await check(keyOnly, { unchecked: 'accept' })).toMatchObject({
    unchecked: { problem: expect.stringContaining(unknown.signature) },
  });
});

test('an authority of the stage must have issued the certificate, directly or through certificates in the signature', async () => {
  const root = makeAuthority({ commonName: 'Root' });
  const between = makeAuthority({ commonName: 'Between', authority: root });
  const signer = makeSigner('p-256', { authority: between });
  const authorities = [makeAuthority({ commonName: 'Another' }), root].map(certificateOf);
  expect(await check(await signature(signer, { chain: [between] }), { authorities })).toMatchObject({ passed: true });
  expect(await check(await signature(signer), { authorities: [certificateOf(between)] })).toMatchObject({
    passed: true,
  });
  expect(await check(await signature(signer), { authorities })).toEqual(refused('not issued by an authority'));
  const ofAnother = [makeAuthority({ commonName: 'Root' })].map(certificateOf);
  expect(await check(await signature(signer, { chain: [between] }), { authorities: ofAnother })).toEqual(
    refused('not issued by an authority'),
  );
});

test('certificates issued by an expired authority or by a certificate without CA rights are refused', async () => {
  const root = makeAuthority({ commonName: 'Root' });
  const authorities = [certificateOf(root)];
  const validity = { notBefore: new Date('2024-01-01'), notAfter: new Date('2025-01-01') };
  const expired = makeAuthority({ commonName: 'Expired', authority: root, validity });
  const leaf = makeSigner('p-256', { commonName: 'Leaf', authority: root });
  for (const issuer of [expired, leaf]) {
    const bytes = await signature(makeSigner('p-256', { authority: issuer }), { chain: [issuer] });
    expect(await check(bytes, { authorities })).toMatchObject({
      code: 'CHAIN_CONSTRAINTS_FAILURE.certificate',
      params: { certificate: certificateOf(issuer).fingerprint256 },
    });
  }
});

test.each([
  ['sha256', '1.2.840.10045.4.3.2', { passed: true }],
  ['sha1', '1.2.840.10045.4.1', refused('because of its signatureAlgorithm')],
])('a certificate that its authority signed with %s is judged by that digest', async (digest, algorithm, verdict) => {
  const signer = makeSigner('p-256');
  const { name, privateKey } = signer.authority;
  const key = createPublicKey(signer.privateKey).export({ type: 'spki', format: 'der' });
  const issuer = { name, algorithm, sign: (body: Buffer) => sign(digest, body, privateKey) };
  const { certificate } = issue(key, issuer, { commonName: 'Signer', isAuthority: false });
  const bytes = await signature({ ...signer, certificate });
  expect(await check(bytes, { authorities: [certificateOf(signer.authority)] })).toMatchObject(verdict);
});

test('a file that is not a detached CMS signature is refused, and the problem says what it is', async () => {
  const good = await signature(makeSigner('p-256'));
  expect(await check(Buffer.from('-----BEGIN CMS-----\n'))).toEqual(refused('cannot be read as CMS SignedData'));
  expect(await check(Buffer.from('no signature'))).toEqual(refused('cannot be read as CMS SignedData'));
  expect(await check(good.subarray(0, -20))).toEqual(refused('cannot be read as CMS SignedData'));
  const unsigned = changedSignature(good, ({ signerInfos }) => void signerInfos.splice(0));
  expect(await check(unsigned)).toEqual(refused('It has certificates and no signature'));
});

test('signed attributes without a digest or with another content type are refused', async () => {
  const good = await signature(makeSigner('p-256'));
  const without = (attribute: string) =>
    changedSignature(good, ({ signerInfos: [signer] }) => {
      if (signer) signer.signedAttrs = signer.signedAttrs?.filter(({ attrType }) => attrType !== attribute) ?? [];
    });
  expect(await check(without('1.2.840.113549.1.9.4'))).toEqual(refused('no message-digest'));
  expect(await check(without('1.2.840.113549.1.9.3'))).toEqual(refused('content-type is missing'));
});

test.each(['an attribute', 'a value'])('a signature with %s of message-digest too many is refused', async (what) => {
  const signer = makeSigner('p-256');
  const parts = tree(await signature(signer));
  const attributes = attributesOf(parts);
  const digest = attributes.find((one) => written(one).includes(Buffer.from('2a864886f70d010904', 'hex'))) as Node;
  const [type, values] = children(digest);
  const other = { tag: 0x04, value: Buffer.alloc(32, 7) };
  if (what === 'a value') children(values).push(other);
  else attributes.push({ tag: 0x30, value: [type as Node, { tag: 0x31, value: [other] }] });
  const signed = encoded(0x31, ...attributes.map((one) => written(one)));
  (children(signersOf(parts)[0])[5] as Node).value = sign('sha256', signed, signer.privateKey);
  expect(await check(written(parts))).toEqual(refused('it has a signed attribute twice'));
});

test('a document is not read for each of many signers without signed attributes', async () => {
  const signer = makeSigner('p-256');
  const parts = tree(await signature(signer));
  const one = signersOf(parts)[0] as Node;
  children(one).splice(3, 1);
  (children(one)[4] as Node).value = sign('sha256', content, signer.privateKey);
  while (signersOf(parts).length < 4) signersOf(parts).push(one);
  expect(await check(written(parts))).toMatchObject({ passed: true });
  signersOf(parts).push(one);
  expect(await check(written(parts))).toEqual(refused('more than 4 signers without signed attributes'));
});

const noise: Node = { tag: 0x04, value: Buffer.alloc(900_000, 7) };

test.each([
  ['at the end of its ContentInfo', 1],
  ['beside its SignedData', 2],
  ['at the end of its SignedData', 3],
])('a signature with noise %s is refused', async (_where, level) => {
  const whole = tree(await signature(makeSigner('p-256')));
  let node: Node | undefined = whole;
  for (let above = 1; above < level; above += 1) node = children(node).at(-1);
  children(node).push(noise);
  for (const gateLevel of ['check', 'strict'] as const)
    expect(await check(written(whole), { level: gateLevel })).toEqual(refused('cannot be read as CMS SignedData'));
});

test('a signature with something behind it is refused in DER and in BER', async () => {
  const good = await signature(makeSigner('p-256'));
  for (const bytes of [good, asBer(good)]) {
    expect(await check(Buffer.concat([bytes, written(noise)]))).toEqual(refused('bytes follow its end'));
    expect(await check(Buffer.concat([bytes, Buffer.from(' ')]))).toEqual(refused('1 byte follows its end'));
    expect(await check(Buffer.concat([bytes, Buffer.from('\0\n7\n')]))).toEqual(refused('3 bytes follow its end'));
    expect(await check(Buffer.concat([bytes, Buffer.from('\r\n\0\0\n')]))).toMatchObject({ passed: true, bytes });
  }
});
