import { expect, test } from 'vitest';
import { checkSignature, type Gate } from '../signature-gate.ts';
import { documentOf } from './helpers/cms.ts';
import { type GostFiles, hasEngine, kept, newFiles } from './helpers/gost-files.ts';
import { signersOf, tree, written } from './helpers/signature-tree.ts';

const now = new Date('2030-01-01');
const PASSES = { passed: true };
const REFUSED = (problem: string) => ({ passed: false, problem: expect.stringContaining(problem) });
const UNTRUSTED = REFUSED('was not issued by an authority that this stage trusts');

const GOST = ['gost-authority', 'gost-authority-512'];
const RSA = ['rsa-authority'];

const sets = [
  ...['A', 'B', 'C', 'XA', 'XB', 'TCA', 'TCB', 'TCC', 'TCD'].map((name) => `256-${name}`),
  ...['A', 'B', 'C'].map((name) => `512-${name}`),
];
const forms = ['256-TCA', '512-A'].flatMap((name) => [`${name}-without-attributes`, `${name}-cades`]);

/** A file, the authorities of the gate, and the verdict. */
const table: [string, string[], object][] = [
  ...[...sets, ...forms].map((name): [string, string[], object] => [`${name}.der`, GOST, PASSES]),
  ...[...sets, ...forms].map((name): [string, string[], object] => [`${name}.der`, [], PASSES]),
  ...[...sets, ...forms].map((name): [string, string[], object] => [`${name}.der`, RSA, UNTRUSTED]),
  ['of-between.der', GOST, PASSES],
  ['armoured.pem', GOST, PASSES],
  ['base64.txt', GOST, PASSES],
  ['other.der', GOST, REFUSED('It is the signature of the document B.')],
  ['of-stranger.der', GOST, UNTRUSTED],
  ['of-stranger.der', RSA, UNTRUSTED],
  ['rsa-sha1.der', GOST, UNTRUSTED],
  ['rsa-sha1.der', RSA, UNTRUSTED],
  [
    'rsa-sha1.der',
    [],
    REFUSED('The digest algorithm SHA-1 (1.3.14.3.2.26) cannot be checked here. Sign with SHA-256, '),
  ],
  ['of-constraint-only.der', GOST, UNTRUSTED],
  ['of-usage-only.der', GOST, UNTRUSTED],
  ['encipherment.der', GOST, REFUSED('its key is not for signing documents')],
  ['document', GOST, REFUSED('CMS SignedData: it is not in DER, BER, PEM or Base64.')],
  ['attached.der', GOST, REFUSED('It contains the document. Make a detached signature.')],
  ['without-certificate.der', GOST, REFUSED("does not contain the signer's certificate")],
];

function check(files: GostFiles, bytes: Uint8Array, authorities: string[], more: Partial<Gate> = {}) {
  const document = {
    ...documentOf(files.bytes('document')),
    describeOwner: async (_algorithm: string, digest: Buffer) => {
      const other = await documentOf(files.bytes('other')).digest('streebog256');
      return digest.equals(other) ? 'the document B' : undefined;
    },
  };
  const trusted = authorities.map((name) => files.authority(name));
  return checkSignature(bytes, document, { level: 'check', authorities: trusted, now, ...more });
}

test.each(table)('%s with the authorities %j', async (name, authorities, verdict) => {
  expect(await check(kept, kept.bytes(name), authorities)).toMatchObject(verdict);
});

test.runIf(hasEngine)('signatures with new keys by OpenSSL are judged like those that are kept', async () => {
  const files = newFiles();
  for (const [name, authorities, verdict] of table) {
    expect(await check(files, files.bytes(name), authorities), name).toMatchObject(verdict);
  }
});

test('with an unknown algorithm, a certificate of a stranger does not pass even where unchecked signatures do', async () => {
  const accept = { unchecked: 'accept' } as const;
  expect(await check(kept, kept.bytes('rsa-sha1.der'), RSA, accept)).toMatchObject(UNTRUSTED);
  expect(await check(kept, kept.bytes('rsa-sha1.der'), [], accept)).toMatchObject({
    passed: true,
    unchecked: expect.stringContaining('1.3.14.3.2.26'),
  });
});

test('text is decoded: the same bytes are stored and sent as from DER', async () => {
  const binary = kept.bytes('256-TCA.der');
  for (const name of ['256-TCA.der', 'base64.txt']) {
    expect(await check(kept, kept.bytes(name), GOST)).toMatchObject({ bytes: binary });
  }
  const windows = Buffer.from(`\ufeff${binary.toString('base64').replace(/.{76}/g, '$&\r\n')}\r\n`);
  expect(await check(kept, windows, GOST)).toMatchObject({ bytes: binary });
  const armoured = await check(kept, kept.bytes('armoured.pem'), GOST);
  expect(armoured.passed && Buffer.from(armoured.bytes).subarray(0, 2).toString('hex')).toBe('3082');
});

test('the verdict names the signer for people, and says what was not checked', async () => {
  const signer = {
    name: 'Иванова Анна',
    organization: 'ООО «Ромашка»',
    inn: '7707083893',
    personInn: '500100732259',
    fingerprint: expect.stringMatching(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/),
  };
  expect(await check(kept, kept.bytes('512-C.der'), GOST)).toMatchObject({ signers: [signer], notes: [] });
  expect(await check(kept, kept.bytes('512-C.der'), [])).toMatchObject({
    signers: [signer],
    notes: [expect.stringContaining('no authority is named')],
  });
});

test.each(['256-TCA', '512-A'])('an altered value of %s is refused, and so is one out of range', async (name) => {
  const length = name.startsWith('256') ? 32 : 64;
  const zeros = Buffer.alloc(length);
  const most = Buffer.alloc(length, 0xff);
  const signature = tree(kept.bytes(`${name}.der`));
  const value = signersOf(signature)[0]?.value.at(-1) as { value: Buffer };
  const [s, r] = [value.value.subarray(0, length), value.value.subarray(length)];
  const changed = Buffer.from(value.value);
  changed[9] = (changed[9] as number) ^ 4;
  for (const bad of [changed, [zeros, r], [s, zeros], [most, r], [s, most], [r, s], [s], [s, r, s], []]) {
    value.value = Buffer.isBuffer(bad) ? bad : Buffer.concat(bad);
    const start = process.cpuUsage();
    expect(await check(kept, written(signature), GOST)).toMatchObject(REFUSED('does not match'));
    const { user } = process.cpuUsage(start);
    expect(user / 1000).toBeLessThan(100);
  }
});

test('a GOST signature of a document that is too large to be digested in time is refused without reading it', async () => {
  const document = {
    size: 257 * 1024 * 1024,
    digest: () => Promise.reject(new Error('It was read.')),
    open: () => Promise.reject(new Error('It was read.')),
    describeOwner: async () => undefined,
  };
  const gate = { level: 'check', authorities: [], now: new Date() } as const;
  expect(await checkSignature(kept.bytes('256-TCA.der'), document, gate)).toMatchObject({
    passed: false,
    problem:
      'The document has 269484032 bytes. GOST signatures are checked of documents with at most 256 MiB. Sign it with RSA or ECDSA.',
  });
});
