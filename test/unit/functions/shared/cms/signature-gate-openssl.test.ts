import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkSignature, type SignedDocument } from '../../../../../functions/shared/cms/signature-gate.ts';
import { makeSigner, type TestSigner, toPem } from '../../../../../local/people/certificates.ts';
import { asBer } from '../../../../helpers/cms.ts';

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
