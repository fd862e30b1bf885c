import { sign, X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeAuthority, makeSigner } from '../certificates.ts';
import { encoded, encodeOid, encodeTime, sequence } from '../der.ts';
import { readRevocationLists } from '../revocation.ts';
import { checkSignature, type Gate } from '../signature-gate.ts';
import { content, documentOf, signature } from './helpers/cms.ts';
import { kept } from './helpers/gost-files.ts';
import { REFUSED } from './helpers/gost-table.ts';
import { certify, GOST, hasEngine, put, signedBy } from './helpers/openssl.ts';
import { children, type Node, signersOf, tree, written } from './helpers/signature-tree.ts';

const now = new Date('2030-01-01');
/** After every certificate has expired. */
const later = new Date('2051-01-01');
const stamped = expect.objectContaining({ timeStamp: { at: expect.any(Date), isTrusted: true } });

const check = (bytes: Uint8Array, more: Partial<Gate> = {}) =>
  checkSignature(bytes, documentOf(kept.bytes('document')), {
    level: 'check',
    authorities: ['gost-authority', 'gost-authority-512'].map((name) => kept.authority(name)),
    now,
    ...more,
  });

/** CAdES-T: a signature with a time stamp among its unsigned attributes. */
function withTimeStamp(signature: Buffer, token: Buffer): Buffer {
  const parts = tree(signature);
  const values: Node = { tag: 0x31, value: [tree(token)] };
  const type: Node = { tag: 0x06, value: encodeOid('1.2.840.113549.1.9.16.2.14').subarray(2) };
  children(signersOf(parts)[0]).push({ tag: 0xa1, value: [{ tag: 0x30, value: [type, values] }] });
  return written(parts);
}

const bytes = withTimeStamp(kept.bytes('256-TCA.der'), kept.bytes('time.token'));
const timeStampAuthorities = [kept.authority('rsa-authority')];

test('the time of a time stamp is in the verdict, and whether its authority is believed', async () => {
  expect(await check(bytes, { timeStampAuthorities })).toMatchObject({ passed: true, signers: [stamped] });
  const signers = [{ timeStamp: { at: expect.any(Date), isTrusted: false } }];
  expect(await check(bytes)).toMatchObject({ passed: true, signers });
  const timeStampOfGost = [kept.authority('gost-authority')];
  expect(await check(bytes, { timeStampAuthorities: timeStampOfGost })).toMatchObject({ passed: true, signers });
});

test('a time stamp by a certificate that had expired, or of content of another type, is not believed', async () => {
  const signature = kept.bytes('256-TCA.der');
  const timeStampAuthorities = [kept.authority('late-authority'), kept.authority('rsa-authority')];
  const late = await check(withTimeStamp(signature, kept.bytes('late.token')), { timeStampAuthorities });
  expect(late).toMatchObject({ passed: true, signers: [{ timeStamp: { isTrusted: false } }] });
  const token = tree(kept.bytes('time.token'));
  const content = children(children(children(token)[1])[0])[2];
  (children(content)[0] as Node).value = encodeOid('1.2.840.113549.1.7.1').subarray(2);
  const other = await check(withTimeStamp(signature, written(token)), { timeStampAuthorities });
  expect(other).toMatchObject({ passed: true, notes: [{ problem: expect.stringContaining('cannot be read') }] });
});

test('a time stamp of another signature, or one that was altered, is refused', async () => {
  const [other, token] = [kept.bytes('256-TCB.der'), kept.bytes('time.token')];
  expect(await check(withTimeStamp(other, token))).toMatchObject(REFUSED('belongs to another signature'));
  const time = token.indexOf('20261125');
  expect(time).toBeGreaterThan(0);
  token[time + 3] = 0x37;
  expect(await check(withTimeStamp(kept.bytes('256-TCA.der'), token))).toMatchObject(REFUSED('was altered'));
});

test.each([
  ['no CMS', Buffer.of(0x30, 0x03, 0x04, 0x01, 0x07)],
  ['a signature', kept.bytes('other.der')],
  ['an attached document', kept.bytes('attached.der')],
])('a time stamp that is %s is a note, and gives no time', async (_what, token) => {
  const verdict = await check(withTimeStamp(kept.bytes('256-TCA.der'), token));
  const notes = [{ problem: 'The time stamp of the signature cannot be read.' }];
  expect(verdict).toMatchObject({ passed: true, notes });
  expect(verdict.passed && verdict.signers[0]).not.toHaveProperty('timeStamp');
});

const ROOT = ['-addext', 'basicConstraints=critical,CA:TRUE'];
const ONLY = 'extendedKeyUsage=critical,timeStamping';

test.each<[string, object, extensions: string[], key?: string[]]>([
  ['one purpose', { isTrusted: true }, [ONLY]],
  ['one purpose and a GOST key', { isTrusted: true }, [ONLY], GOST],
  ['a key usage for signatures', { isTrusted: true }, [ONLY, 'keyUsage=digitalSignature,nonRepudiation']],
  ['a key usage for more', { isTrusted: false }, [ONLY, 'keyUsage=digitalSignature,keyEncipherment']],
  ['a purpose that is not critical', { isTrusted: false }, ['extendedKeyUsage=timeStamping']],
  ['two purposes', { isTrusted: false }, [`${ONLY},emailProtection`]],
])('a time stamp by a certificate with %s', async (_what, timeStamp, extensions, key = []) => {
  if (key.length > 0 && !hasEngine) return;
  const root = certify('root', undefined, ...ROOT, ...key);
  certify('time', 'root', ...extensions.flatMap((one) => ['-addext', one]), ...key);
  const info = children(children(children(children(tree(kept.bytes('time.token')))[1])[0])[2])[1];
  const parts = tree(children(info)[0]?.value as Buffer);
  // 1.5 seconds of accuracy.
  const accuracy = tree(sequence(Buffer.of(2, 1, 1), Buffer.of(0x80, 2, 1, 0xf4)));
  children(parts).splice(4, 1, tree(encoded(0x18, Buffer.from('20270101000000Z'))), accuracy);
  put('info', written(parts));
  const options = '-in info -nodetach -cades -econtent_type 1.2.840.113549.1.9.16.1.4'.split(' ');
  const token = signedBy('time', ...options, ...key.slice(0, 2));
  const found = await check(withTimeStamp(kept.bytes('256-TCA.der'), token), { timeStampAuthorities: [root] });
  const at = new Date('2027-01-01T00:00:02Z');
  expect(found).toMatchObject({ passed: true, signers: [{ timeStamp: { ...timeStamp, at } }] });
});

test('CAdES-X Long with 3.5 MB of revocation values passes, in bounded time', async () => {
  const entry = sequence(encoded(0x02, Buffer.alloc(16, 7)), encodeTime(now));
  const list = sequence(sequence(encoded(0x30, Buffer.alloc(100_000 * entry.length, entry))));
  const type = encodeOid('1.2.840.113549.1.9.16.2.24');
  const values = encoded(0x31, sequence(encoded(0xa0, list)));
  const parts = tree(bytes);
  children(children(signersOf(parts)[0]).at(-1)).push({ tag: 0x30, value: Buffer.concat([type, values]) });
  const start = process.threadCpuUsage();
  expect(await check(written(parts), { timeStampAuthorities })).toMatchObject({ passed: true, signers: [stamped] });
  expect(process.threadCpuUsage(start).user / 1000).toBeLessThan(1000);
});

test('an expired certificate counts only with a time stamp of an authority that is believed', async () => {
  const unstamped = kept.bytes('256-TCA.der');
  expect(await check(bytes, { now: later })).toMatchObject(REFUSED('it expired'));
  expect(await check(unstamped, { now: later, timeStampAuthorities })).toMatchObject(REFUSED('it expired'));
  expect(await check(bytes, { now: later, timeStampAuthorities: [] })).toMatchObject(REFUSED('it expired'));
  expect(await check(bytes, { now: later, timeStampAuthorities })).toMatchObject({ passed: true });
  const strangers = { now: later, timeStampAuthorities, authorities: timeStampAuthorities };
  expect(await check(bytes, strangers)).toMatchObject(REFUSED('not issued by an authority'));
});

test('a revoked signer is refused; without a current list of the authority, a note says so, and a strict gate refuses', async () => {
  const [current, expired, foreign] = ['current.crl', 'expired.crl', 'rsa.crl'].map((name) =>
    readRevocationLists(kept.bytes(name)),
  );
  const [good, bad] = [kept.bytes('256-TCA.der'), kept.bytes('256-TCB.der')];
  for (const revocationLists of [current, expired] as Gate['revocationLists'][] & object) {
    const lists = { revocationLists: revocationLists ?? [] };
    expect(await check(bad, lists)).toMatchObject(REFUSED('was revoked at 2026-11-01'));
  }
  expect(await check(bad)).toMatchObject({ passed: true });
  const strict = { level: 'strict' } as const;
  const of = (revocationLists = current) => ({ revocationLists: revocationLists ?? [] });
  expect(await check(good, { ...of(current), ...strict })).toMatchObject({ passed: true, notes: [] });
  for (const [lists, note] of [
    [expired, 'expired at'],
    [foreign, 'no usable'],
  ] as const) {
    const unknownRevocation = { problem: expect.stringContaining(note) };
    expect(await check(good, of(lists))).toMatchObject({ passed: true, unknownRevocation });
    expect(await check(good, { ...of(lists), ...strict })).toMatchObject(REFUSED(note));
  }
});

const CRITICAL = encoded(0x01, Buffer.of(0xff));
/** The reason of an entry. */
const entry = (...extensions: Buffer[]) =>
  sequence(sequence(encoded(0x02, Buffer.of(7)), encodeTime(now), sequence(sequence(...extensions))));
const reasonCode = [encodeOid('2.5.29.21'), encoded(0x04, Buffer.of(0x0a, 1, 1))];
const unknownCritical = [encodeOid('1.2.3'), CRITICAL, encoded(0x04, sequence())];
const printable = (text: string) =>
  sequence(encoded(0x31, sequence(encodeOid('2.5.4.3'), encoded(0x13, Buffer.from(text)))));

const [POINT, DAY] = [encodeOid('2.5.29.28'), 24 * 3_600_000];
const AT_ADDRESS = sequence(encoded(0xa0, encoded(0xa0, encoded(0x86, Buffer.from('http://a.ru/2.crl')))));

test.each<[string, Buffer[], object, { from?: Date; entries?: Buffer; name?: Buffer; isEndless?: boolean }?]>([
  ['no extensions', [], { passed: true }],
  ['a distribution point', [encodeOid('2.5.29.28'), CRITICAL, encoded(0x04, sequence())], { passed: true }],
  [
    'certificates of authorities only',
    [encodeOid('2.5.29.28'), encoded(0x04, sequence(Buffer.of(0x82, 1, 255)))],
    REFUSED('no usable'),
  ],
  [
    'changes of another list only',
    [encodeOid('2.5.29.27'), encoded(0x04, Buffer.of(0x02, 1, 1))],
    REFUSED('no usable'),
  ],
  ['some reasons only', [POINT, encoded(0x04, sequence(Buffer.of(0x83, 2, 0, 1)))], REFUSED('no usable')],
  ['an address that the certificate does not name', [POINT, encoded(0x04, AT_ADDRESS)], REFUSED('no usable')],
  ['no end, of eight days ago', [], REFUSED('expired'), { from: new Date(now.getTime() - 8 * DAY), isEndless: true }],
  ['no end, of six days ago', [], { passed: true }, { from: new Date(now.getTime() - 6 * DAY), isEndless: true }],
  ['a time to come', [], REFUSED('no usable'), { from: later }],
  ['a time that another clock has not reached', [], { passed: true }, { from: new Date(now.getTime() + 60_000) }],
  ['the name of its issuer in other letters', [], { passed: true }, { name: printable('TEST  authority') }],
  ['an entry with a reason', [], { passed: true }, { entries: entry(...reasonCode) }],
])('a list with %s', async (_what, extension, verdict, more) => {
  const { authority, list } = listOf(extension, more);
  const bytes = await signature(makeSigner('p-256', { authority }));
  const authorities = [new X509Certificate(authority.certificate)];
  const gate = { level: 'strict', authorities, now, revocationLists: readRevocationLists(list) } as const;
  expect(await checkSignature(bytes, documentOf(content), gate)).toMatchObject(verdict);
});

test.each([
  ['list', listOf(unknownCritical)],
  ['entry', listOf([], { entries: entry(...unknownCritical) })],
])('a list is not read if a critical extension of the %s is unknown', (_what, { list }) => {
  expect(() => readRevocationLists(list)).toThrow('critical extensions is not known');
});

function listOf(
  extension: Buffer[],
  {
    from = new Date('2026-01-01'),
    entries = sequence(),
    name = undefined as Buffer | undefined,
    isEndless = false,
  } = {},
) {
  const authority = makeAuthority();
  const algorithm = sequence(encodeOid('1.2.840.10045.4.3.2'));
  const extensions = extension.length > 0 ? [encoded(0xa0, sequence(sequence(...extension)))] : [];
  const times = [from, ...(isEndless ? [] : [later])].map(encodeTime);
  const body = sequence(
    encoded(0x02, Buffer.of(1)),
    algorithm,
    name ?? authority.name,
    ...times,
    entries,
    ...extensions,
  );
  const list = sequence(body, algorithm, encoded(0x03, Buffer.of(0), sign('sha256', body, authority.privateKey)));
  return { authority, list };
}

test('a list that its authority did not sign shows nothing', async () => {
  const altered = kept.bytes('current.crl');
  // A letter of the armoured signature.
  const at = altered.indexOf('-----END') - 12;
  altered[at] = altered[at] === 0x41 ? 0x42 : 0x41;
  const verdict = await check(kept.bytes('256-TCA.der'), { revocationLists: readRevocationLists(altered) });
  const unknownRevocation = { problem: expect.stringContaining('no usable revocation list') };
  expect(verdict).toMatchObject({ passed: true, unknownRevocation });
  expect(() => readRevocationLists(Buffer.from('no list'))).toThrow('cut short or damaged');
  const cut = Buffer.concat([kept.bytes('rsa.crl'), altered.subarray(0, -30)]);
  expect(() => readRevocationLists(cut)).toThrow('one of its lists has no END');
});
