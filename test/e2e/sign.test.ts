import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { makeSigner, type TestKeyType, toPem } from '@business-loan-orders/detached-signatures/certificates';
import { beforeAll, expect, test, vi } from 'vitest';
import { quoted } from '../../commands/shared/text.ts';
import { loanOrders } from '../helpers/command-line.ts';
import { outputOf } from '../helpers/commands-in.ts';
import { NO_OFFERS, openWorld, SIGNATURES_AT_ONCE } from '../helpers/open-world.ts';
import { chainPem, keyPem, openFolder, run, signerFiles, verifyWithOpenssl } from '../helpers/signer-files.ts';
import type { DocumentToSign } from '../helpers/world-storage.ts';

const fileIds = ['договор № 1/а', 'it\'s 100% "quoted" $HOME `x` \\ *'];
const world = await openWorld({
  settings: {
    ...SIGNATURES_AT_ONCE,
    ...NO_OFFERS,
    documentTemplates: fileIds.map((fileId) => ({ fileId, content: Buffer.from(`bytes of ${fileId}`) })),
  },
});
const folder = openFolder();
const signer = makeSigner('p-256');
const files = signerFiles(folder, signer);

const commandLine = (args: string[], environment?: Record<string, string>) =>
  loanOrders(['--endpoint', world.aws.endpoint, ...args], environment);
const sign = (orderRef: string, { key = files.key, cert = files.cert } = {}, environment?: Record<string, string>) =>
  commandLine(['sign', orderRef, '--key', key, '--cert', cert], environment);

async function toSign(orderRef: string): Promise<DocumentToSign[]> {
  await world.submitToSign(orderRef);
  return world.documentsToSign(orderRef);
}

async function verifyAll(orderRef: string, documents: DocumentToSign[], authority: string): Promise<void> {
  for (const { key, signature } of documents) {
    const prefix = `orders/${orderRef}/`;
    const [, Bucket, Key] = /^s3:\/\/([^/]+)\/(.+)$/s.exec(signature) ?? [];
    const { Body } = await world.s3.send(new GetObjectCommand({ Bucket, Key }));
    await verifyWithOpenssl({
      signature: folder.write('signature', (await Body?.transformToByteArray()) ?? ''),
      document: folder.write('document', await world.stagedBytes(orderRef, key.slice(prefix.length))),
      authority,
    });
  }
}

test.each<[TestKeyType, 'alone' | 'chain', string | undefined]>([
  ['rsa-2048', 'chain', undefined],
  ['p-256', 'alone', 'пароль с пробелом'],
  ['p-384', 'chain', 'secret'],
])(
  'OpenSSL and the order service accept signatures of sign with a key %s, certificate %s, passphrase %s',
  async (type, chain, passphrase) => {
    const orderRef = `signed-${type}-${chain}`;
    const page = await toSign(orderRef);
    const signer = makeSigner(type);
    const key = folder.write(`${orderRef}.key`, keyPem(signer, passphrase));
    const cert = folder.write(`${orderRef}.pem`, chain === 'chain' ? chainPem(signer) : toPem(signer.certificate));
    const environment = passphrase === undefined ? {} : { LOAN_ORDERS_KEY_PASSPHRASE: passphrase };
    const said = outputOf(await sign(orderRef, { key, cert }, environment));
    expect(said).toContain(`Signed 2 documents of order ${orderRef}; the signatures are in intake:\n`);
    await verifyAll(orderRef, page, folder.write('authority.pem', toPem(signer.authority.certificate)));
    expect(await world.untilEnd(orderRef, { signing: false })).toMatchObject({ status: 'CLOSED' });
  },
);

test('sign --openssl prints commands that a shell runs unchanged', async () => {
  const page = await toSign('by-hand');
  const key = folder.write('ключ.pem', keyPem(signer));
  const cert = folder.write("it's mine.pem", chainPem(signer));
  const stdout = outputOf(await commandLine(['sign', 'by-hand', '--key', key, '--cert', cert, '--openssl']));
  expect(stdout).toContain('openssl cms -sign -binary -outform DER -md sha256 -signer ');
  await run('sh', ['-e', '-c', stdout], {
    cwd: folder.path('.'),
    env: { PATH: shellPath, NODE_COMPILE_CACHE: folder.path('compile-cache') },
  });
  await verifyAll('by-hand', page, folder.write('authority.pem', toPem(signer.authority.certificate)));
  expect(await world.untilEnd('by-hand', { signing: false })).toMatchObject({ status: 'CLOSED' });
});

const withOpenssl = `openssl cms -sign -binary -outform DER -signer ${quoted(files.cert)} -inkey ${quoted(files.key)} -in {document} -out {signature}`;

test('sign --with runs a program for each document, without a shell, and uploads what it makes', async () => {
  const page = await toSign('by-program');
  const said = outputOf(await commandLine(['sign', 'by-program', '--with', withOpenssl]));
  expect(said).toContain('Signed 2 documents of order by-program');
  await verifyAll('by-program', page, folder.write('authority.pem', toPem(signer.authority.certificate)));
  expect(await world.untilEnd('by-program', { signing: false })).toMatchObject({ status: 'CLOSED' });
});

test('SIGINT and SIGTERM end the program too, and leave no document behind; sign --json then prints what was signed', async () => {
  const documents = await toSign('stopped');
  await Promise.all([expectEnd('SIGINT', 130), expectEnd('SIGTERM', 143)]);
  const { stdout } = await commandLine(['sign', 'stopped', '--key', files.key, '--cert', files.cert, '--json']);
  expect(JSON.parse(stdout)).toMatchObject({
    orderRef: 'stopped',
    round: 1,
    signatures: documents.map(({ fileId, signature }) => ({ fileId, signature })),
  });
});

async function expectEnd(signal: NodeJS.Signals, code: number): Promise<void> {
  const [temporary, running] = [folder.path(`temporary-${signal}`), folder.path(signal)];
  mkdirSync(temporary);
  const script = `file=$1; trap 'rm "$file"; exit' TERM; echo > "$file"; while :; do sleep 0.1; done`;
  const program = `sh -c ${quoted(script)} sh ${quoted(running)} {document} {signature}`;
  const args = ['--local', '--endpoint', world.aws.endpoint, 'sign', 'stopped', '--with', program];
  const env = { ...process.env, TMPDIR: temporary };
  const command = spawn(process.execPath, ['bin/loan-orders.ts', ...args], { env, stdio: 'ignore' });
  await vi.waitUntil(() => existsSync(running), { timeout: 20_000 });
  command.kill(signal);
  expect(await once(command, 'exit')).toEqual([code, null]);
  expect(readdirSync(temporary).filter((name) => name.startsWith('loan-orders-sign-'))).toEqual([]);
  await vi.waitUntil(() => !existsSync(running), { timeout: 20_000 });
}

let shellPath = '';
beforeAll(() => {
  const script = fileURLToPath(new URL('./aws-command.ts', import.meta.url));
  mkdirSync(folder.path('bin'));
  writeFileSync(folder.path('bin/aws'), `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`, { mode: 0o755 });
  shellPath = `${folder.path('bin')}:${process.env.PATH}`;
});
