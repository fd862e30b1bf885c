import { execFile } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeSigner, type TestSigner, toPem } from '../certificates.ts';
import { createDetachedSignature } from '../create-signature.ts';
import { checkSignature } from '../signature-gate.ts';
import { content, documentOf, signature } from './helpers/cms.ts';
import { asBer, certificatesOf, children, type Node, signersOf, tree, written } from './helpers/signature-tree.ts';

const run = promisify(execFile);
const document = documentOf(content);
const other = Buffer.from('another document');
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'signature-gate-'));
  await writeFile(file('content'), content);
  await writeFile(file('other'), other);
});
afterAll(() => rm(directory, { recursive: true }));

/** One signer of each kind of key, because making an RSA key takes long. */
const signers = { 'rsa-2048': makeSigner('rsa-2048'), 'p-256': makeSigner('p-256'), 'p-384': makeSigner('p-384') };

const PSS_WITH_SHA256 =
  '304106092a864886f70d01010a3034a00f300d06096086480165030402010500a11c301a06092a864886f70d010108300d06096086480165030402010500a203020120';

const file = (name: string) => join(directory, name);
const openssl = (command: string, ...options: string[]) => run('openssl', [...command.split(' '), ...options]);

async function bySigner({ certificate, privateKey }: TestSigner, options: readonly string[]): Promise<Buffer> {
  await writeFile(file('certificate.pem'), toPem(certificate));
  await writeFile(file('key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const by = ['-signer', file('certificate.pem'), '-inkey', file('key.pem'), '-in', file('content')];
  await openssl('cms -sign -binary -outform DER -out', file('signature.der'), ...by, ...options);
  return readFile(file('signature.der'));
}

test.each([
  ['rsa-2048', 'sha256'],
  ['rsa-2048', 'sha512'],
  ['p-256', 'sha256'],
  ['p-384', 'sha384'],
] as const)('our signature with %s and %s is valid for OpenSSL, and not for another document', async (key, digest) => {
  const signer = signers[key];
  await writeFile(file('ours.der'), await signature(signer, { digestAlgorithm: digest }));
  await writeFile(file('authority.pem'), toPem(signer.authority.certificate));
  const more = ['-in', file('ours.der'), '-CAfile', file('authority.pem'), '-out', file('verified')];
  const verify = (over: string) =>
    openssl('cms -verify -binary -purpose any -inform DER -content', file(over), ...more);
  await verify('content');
  await expect(verify('other')).rejects.toThrow(/verif/i);
});

const verdict = (bytes: Uint8Array, over = document) =>
  checkSignature(bytes, over, { level: 'strict', authorities: [], now: new Date() });

test.each([
  ['RSA', 'rsa-2048', ['-md', 'sha256']],
  ['RSA with SHA-384', 'rsa-2048', ['-md', 'sha384']],
  ['RSASSA-PSS', 'rsa-2048', ['-md', 'sha256', '-keyopt', 'rsa_padding_mode:pss']],
  ['ECDSA', 'p-256', ['-md', 'sha256']],
  ['ECDSA with SHA-384', 'p-384', ['-md', 'sha384']],
  ['no signed attributes', 'p-384', ['-md', 'sha512', '-noattr']],
] as const)('a signature by OpenSSL passes the gate: %s', async (_name, keyType, options) => {
  const bytes = await bySigner(signers[keyType], options);
  expect(await verdict(bytes)).toMatchObject({ passed: true });
  expect(await verdict(bytes, documentOf(other))).toMatchObject({ passed: false });
});

test('a signature by OpenSSL that names two signers by key identifiers passes the gate, in DER and BER', async () => {
  const both = await Promise.all(
    ['first', 'second'].map(async (name) => {
      const [key, certificate] = [file(`${name}.key`), file(`${name}.pem`)];
      const out = ['-keyout', key, '-out', certificate];
      await openssl(`req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=${name}`, ...out);
      return ['-signer', certificate, '-inkey', key];
    }),
  );
  const options = ['-in', file('content'), ...both.flat(), '-out', file('two-signers.der')];
  await openssl('cms -sign -binary -keyid -md sha256 -outform DER', ...options);
  const bytes = await readFile(file('two-signers.der'));
  expect(await verdict(bytes)).toMatchObject({ passed: true });
  expect(await verdict(asBer(bytes))).toMatchObject({ passed: true });
});

test('a key that OpenSSL allows no such digest makes a signature invalid, and nothing throws', async () => {
  const restricted = 'rsa-pss -pkeyopt rsa_keygen_bits:2048 -pkeyopt rsa_pss_keygen_md:sha512';
  const out = ['-keyout', file('pss.key'), '-out', file('pss.pem')];
  await openssl(`req -x509 -nodes -subj /CN=restricted -days 2 -newkey ${restricted}`, ...out);
  const made = await createDetachedSignature({
    digest: createHash('sha256').update(content).digest(),
    digestAlgorithm: 'sha256',
    keyType: 'rsa',
    certificates: [new X509Certificate(await readFile(file('pss.pem'))).raw],
    signingTime: new Date(),
    sign: async () => Buffer.alloc(256, 1),
  });
  // From rsaEncryption to RSASSA-PSS with SHA-256 (RFC 4055, section 3.1).
  const bytes = tree(Buffer.from(made));
  children(signersOf(bytes)[0]).splice(4, 1, tree(Buffer.from(PSS_WITH_SHA256, 'hex')));
  expect(await verdict(written(bytes))).toMatchObject({ passed: false, code: 'SIG_CRYPTO_FAILURE' });
});

test('a certificate that is only a shell around another one in PEM cannot be read', async () => {
  const signer = signers['p-256'];
  const bytes = tree(await bySigner(signer, ['-md', 'sha256']));
  const [issuer, serialNumber] = children(children(signersOf(bytes)[0])[1]);
  const empty: Node = { tag: 0x30, value: [] };
  const named = [serialNumber, empty, issuer, empty, empty, empty].map((node) => node ?? empty);
  const pem = { tag: 0x03, value: Buffer.from(`\n${toPem(signer.certificate)}`) };
  certificatesOf(bytes).splice(0, 1, { tag: 0x30, value: [{ tag: 0x30, value: named }, empty, pem] });
  const problem = expect.stringContaining('one of its certificates cannot be read');
  expect(await verdict(written(bytes))).toMatchObject({ passed: false, problem });
});
