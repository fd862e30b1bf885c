import { execFile } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeSigner, type TestSigner, toPem } from '../certificates.ts';
import { createDetachedSignature } from '../create-signature.ts';
import { elementAt, elementsIn, encoded } from '../elements.ts';
import { checkSignature, type SignedDocument } from '../signature-gate.ts';
import { asBer } from './helpers/cms.ts';

const run = promisify(execFile);
const content = Buffer.from('Заявка на кредит: договор № 1');
const document: SignedDocument = {
  digest: async (algorithm) => createHash(algorithm).update(content).digest(),
  open: async () => Readable.from([content]),
  describeOwner: async () => undefined,
};
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'signature-gate-'));
  await writeFile(join(directory, 'content'), content);
});
afterAll(() => rm(directory, { recursive: true }));

async function bySigner({ certificate, privateKey }: TestSigner, options: string[]): Promise<Buffer> {
  const [certificateFile, keyFile, signatureFile] = ['certificate.pem', 'key.pem', 'signature.der'].map((name) =>
    join(directory, name),
  ) as [string, string, string];
  await writeFile(certificateFile, toPem(certificate));
  await writeFile(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  await run('openssl', [
    'cms',
    '-sign',
    '-binary',
    '-in',
    join(directory, 'content'),
    '-outform',
    'DER',
    '-out',
    signatureFile,
    '-signer',
    certificateFile,
    '-inkey',
    keyFile,
    ...options,
  ]);
  return readFile(signatureFile);
}

const verdict = (bytes: Uint8Array, over = document) =>
  checkSignature(bytes, over, { level: 'strict', authorities: [], now: new Date() });

test.each([
  ['RSA', 'rsa-2048', ['-md', 'sha256']],
  ['RSA with SHA-384', 'rsa-2048', ['-md', 'sha384']],
  ['RSASSA-PSS', 'rsa-2048', ['-md', 'sha256', '-keyopt', 'rsa_padding_mode:pss']],
  ['ECDSA', 'p-256', ['-md', 'sha256']],
  ['no signed attributes', 'p-384', ['-md', 'sha512', '-noattr']],
] as const)('a signature by OpenSSL passes the gate: %s', async (_name, keyType, options) => {
  const signer = makeSigner(keyType);
  const bytes = await bySigner(signer, [...options]);
  expect(await verdict(bytes)).toEqual({ passed: true });
  const other = Buffer.from('another document');
  const another: SignedDocument = {
    ...document,
    digest: async (algorithm) => createHash(algorithm).update(other).digest(),
    open: async () => Readable.from([other]),
  };
  expect(await verdict(bytes, another)).toMatchObject({ passed: false });
});

test('a signature by OpenSSL that names two signers by key identifiers passes the gate, in DER and BER', async () => {
  const [content, signature] = ['content', 'two-signers.der'].map((name) => join(directory, name)) as [string, string];
  const signers = await Promise.all(
    ['first', 'second'].map(async (name) => {
      const [key, certificate] = [join(directory, `${name}.key`), join(directory, `${name}.pem`)];
      const made = ['-newkey', 'rsa:2048', '-nodes', '-subj', `/CN=${name}`, '-keyout', key, '-out', certificate];
      await run('openssl', ['req', '-x509', ...made]);
      return ['-signer', certificate, '-inkey', key];
    }),
  );
  const options = ['-binary', '-keyid', '-md', 'sha256', '-outform', 'DER', '-out', signature];
  await run('openssl', ['cms', '-sign', '-in', content, ...signers.flat(), ...options]);
  const bytes = await readFile(signature);
  expect(await verdict(bytes)).toEqual({ passed: true });
  expect(await verdict(asBer(bytes))).toEqual({ passed: true });
});

test('a signature with SHA-1 does not count as checked', async () => {
  const bytes = await bySigner(makeSigner('rsa-2048'), ['-md', 'sha1']);
  expect(await verdict(bytes)).toMatchObject({ passed: false, problem: expect.stringContaining('1.3.14.3.2.26') });
});

test('a key that OpenSSL allows no such digest makes a signature invalid, and nothing throws', async () => {
  const [key, certificate] = ['pss.key', 'pss.pem'].map((name) => join(directory, name)) as [string, string];
  const restricted = ['-newkey', 'rsa-pss', '-pkeyopt', 'rsa_keygen_bits:2048', '-pkeyopt', 'rsa_pss_keygen_md:sha512'];
  const request = [
    'req',
    '-x509',
    '-nodes',
    '-subj',
    '/CN=restricted',
    '-days',
    '2',
    '-keyout',
    key,
    '-out',
    certificate,
  ];
  await run('openssl', [...request, ...restricted]);
  const made = await createDetachedSignature({
    digest: createHash('sha256').update(content).digest(),
    digestAlgorithm: 'sha256',
    keyType: 'rsa',
    certificates: [new X509Certificate(await readFile(certificate)).raw],
    signingTime: new Date(),
    sign: async () => Buffer.alloc(256, 1),
  });
  // From rsaEncryption to RSASSA-PSS (RFC 4055, section 3.1).
  const bytes = Buffer.from(made);
  const rsa = Buffer.from('06092a864886f70d010101', 'hex');
  bytes[bytes.lastIndexOf(rsa) + rsa.length - 1] = 10;
  expect(await verdict(bytes)).toEqual({ passed: false, problem: expect.stringContaining('does not match') });
});

test('a certificate that is only a shell around another one in PEM cannot be read', async () => {
  const signer = makeSigner('p-256');
  const [identifier, content] = partsOf(await bySigner(signer, ['-md', 'sha256']));
  const signedData = partsOf(partsOf(content?.bytes)[0]?.bytes);
  const info = signedData.at(-1);
  const [issuer, serialNumber] = partsOf(partsOf(partsOf(info?.bytes)[0]?.bytes)[1]?.bytes);
  const sequence = (...parts: (Buffer | undefined)[]) =>
    encoded(SEQUENCE, ...parts.map((part) => part ?? Buffer.alloc(0)));
  const empty = sequence();
  const named = sequence(serialNumber?.bytes, empty, issuer?.bytes, empty, empty, empty);
  const shell = sequence(named, empty, encoded(BIT_STRING, Buffer.from(`\n${toPem(signer.certificate)}`)));
  const others = signedData.slice(0, 3).map(({ bytes }) => bytes);
  const changed = sequence(...others, encoded(TAGGED_0, shell), info?.bytes);
  expect(await verdict(sequence(identifier?.bytes, encoded(TAGGED_0, changed)))).toEqual({
    passed: false,
    problem: expect.stringContaining('one of its certificates cannot be read'),
  });
});

const [SEQUENCE, BIT_STRING, TAGGED_0] = [0x30, 0x03, 0xa0] as const;
const partsOf = (bytes: Buffer = Buffer.alloc(0)) => [...elementsIn(elementAt(bytes).content)];
