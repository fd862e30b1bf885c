import { createHash, createPublicKey, X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { certificateParts } from '../certificate-parts.ts';
import { makeSigner } from '../certificates.ts';
import { encoded, encodeOid, sequence } from '../der.ts';
import { relativeNames, sameName } from '../names.ts';
import { checkSignature } from '../signature-gate.ts';
import { content, documentOf, signature } from './helpers/cms.ts';
import { children, signersOf, tree, written } from './helpers/signature-tree.ts';

const [utf8, printable, teletex, ia5, universal, bmp] = [0x0c, 0x13, 0x14, 0x16, 0x1c, 0x1e];
const wide = (text: string) => Buffer.from(text, 'utf16le').swap16();
const wider = (text: string) => Buffer.concat([...text].map((one) => Buffer.from([0, 0, ...wide(one)])));
const one = (tag: number, value: string | Buffer, type = '2.5.4.3') =>
  sequence(encodeOid(type), encoded(tag, Buffer.from(value as string)));
const name = (...sets: Buffer[][]) => sequence(...sets.map((attributes) => encoded(0x31, ...attributes)));

test.each<[string, Buffer, Buffer, boolean]>([
  ['PrintableString and UTF8String', name([one(printable, 'CA 1')]), name([one(utf8, 'CA 1')]), true],
  ['BMPString and UTF8String', name([one(bmp, wide('Центр'))]), name([one(utf8, 'Центр')]), true],
  ['UniversalString and UTF8String', name([one(universal, wider('Центр'))]), name([one(utf8, 'ЦЕНТР')]), true],
  ['TeletexString and IA5String', name([one(teletex, 'CA')]), name([one(ia5, 'ca')]), true],
  ['case and spaces', name([one(utf8, ' Test  CA ')]), name([one(printable, 'test ca')]), true],
  ['composed letters', name([one(utf8, 'й')]), name([one(utf8, 'и\u0306')]), true],
  [
    'the order in a set',
    name([one(utf8, 'a'), one(utf8, 'b', '2.5.4.10')]),
    name([one(utf8, 'b', '2.5.4.10'), one(utf8, 'a')]),
    true,
  ],
  ['another text', name([one(utf8, 'CA 1')]), name([one(utf8, 'CA1')]), false],
  ['another attribute', name([one(utf8, 'CA')]), name([one(utf8, 'CA', '2.5.4.10')]), false],
  ['one more name', name([one(utf8, 'CA')]), name([one(utf8, 'CA')], [one(utf8, 'CA')]), false],
  ['one set or two', name([one(utf8, 'a'), one(utf8, 'b')]), name([one(utf8, 'a')], [one(utf8, 'b')]), false],
  ['other bytes that are no string', name([one(0x04, 'CA')]), name([one(0x04, 'ca')]), false],
])('names with %s are compared as RFC 5280 says', (_what, first, second, isSame) => {
  expect(sameName(first, second)).toBe(isSame);
  expect(sameName(second, first)).toBe(isSame);
  expect(relativeNames(first)).not.toEqual([]);
});

const check = async (change: (identifier: ReturnType<typeof tree>) => void, signer = makeSigner('p-256')) => {
  const parts = tree(await signature(signer));
  change(children(signersOf(parts)[0])[1] as ReturnType<typeof tree>);
  const authorities = [new X509Certificate(signer.authority.certificate)];
  return checkSignature(written(parts), documentOf(content), { level: 'check', authorities, now: new Date() });
};

test('a signer is found by a name of other string types, and by the digest of its key', async () => {
  const renamed = await check(({ value }) => {
    (value as unknown[])[0] = tree(name([one(printable, 'TEST  authority')]));
  });
  expect(renamed).toMatchObject({ passed: true });
  const signer = makeSigner('p-256');
  const bits = createPublicKey(signer.privateKey).export({ type: 'spki', format: 'der' }).subarray(-65);
  const identifier = createHash('sha1').update(bits).digest();
  const named = (bytes: Buffer) => check((node) => void Object.assign(node, { tag: 0x80, value: bytes }), signer);
  expect(await named(identifier)).toMatchObject({ passed: true });
  expect(await named(identifier.fill(0))).toMatchObject({ code: 'NO_SIGNING_CERTIFICATE_FOUND' });
  expect(certificateParts(new X509Certificate(signer.certificate)).keyIdentifier).toBeUndefined();
});
