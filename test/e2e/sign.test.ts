import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { makeSigner, type TestKeyType, toPem } from '@business-loan-orders/detached-signatures/certificates';
import { expect, test, vi } from 'vitest';
import { quoted } from '../../commands/shared/text.ts';
import { wordsOf } from '../../commands/sign/command-words.ts';
import { loanOrders } from '../helpers/command-line.ts';
import { outputOf } from '../helpers/commands-in.ts';
import { NO_OFFERS, openWorld, SIGNATURES_AT_ONCE } from '../helpers/open-world.ts';
import { chainPem, keyPem, openFolder, run, signerFiles, verifyWithOpenssl, zipped } from '../helpers/signer-files.ts';
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

const withOpenssl = `openssl cms -sign -binary -outform DER -signer ${quoted(files.cert)} -inkey ${quoted(files.key)} -in {document} -out {signature}`;

test('sign --with runs a program for each document, without a shell, and uploads what it makes', async () => {
  const page = await toSign('by-program');
  const said = outputOf(await commandLine(['sign', 'by-program', '--with', withOpenssl]));
  expect(said).toContain('Signed 2 documents of order by-program');
  await verifyAll('by-program', page, folder.write('authority.pem', toPem(signer.authority.certificate)));
  expect(await world.untilEnd('by-program', { signing: false })).toMatchObject({ status: 'CLOSED' });
});

const SIGNS = `openssl cms -sign -binary -signer ${quoted(files.cert)} -inkey ${quoted(files.key)}`;

/**
 * Programs that take options and write files as their documentation says. cryptcp: github.com/91team/cryptopro; csptest:
 * github.com/myodgor/simpleSIG.
 */
const STAND_INS: [name: string, options: string, script: string][] = [
  [
    'cryptcp',
    '-signf -cert -detached -der -dir * -thumbprint *',
    `${SIGNS} -in "$file" -outform DER -out "$dir/\${file##*/}.sgn"`,
  ],
  [
    'csptest',
    '-sfsign -sign -detached -base64 -add -my * -in * -out *',
    `${SIGNS} -in "$in" -outform DER | base64 > "$out"`,
  ],
];

function standIn(options: string, script: string): string {
  const cases = options.split(/ (?=-)/).map((option) => {
    const [name = '', value] = option.split(' ');
    return value ? `${name}) eval "${name.slice(1)}=\\$2"; shift;;` : `${name});;`;
  });
  const unknown = '-*) echo "unknown option $1" >&2; exit 1;;';
  return `#!/bin/sh\nwhile [ $# -gt 0 ]; do case $1 in ${cases.join(' ')} ${unknown} *) file=$1;; esac; shift; done\n${script}\n`;
}

test.each(STAND_INS)('the documented line of %s signs, as far as a stand-in shows', async (name, options, script) => {
  const page = await toSign(`by-${name}`);
  mkdirSync(folder.path(name));
  writeFileSync(folder.path(`${name}/${name}`), standIn(options, script), { mode: 0o755 });
  const [, line = ''] = new RegExp(`--with "(${name} .*)"`).exec(readFileSync('docs/signing.md', 'utf8')) ?? [];
  expect(wordsOf(line, 'win32')).toEqual(wordsOf(line, 'linux'));
  const environment = { PATH: `${folder.path(name)}:${process.env.PATH}` };
  outputOf(await commandLine(['sign', `by-${name}`, '--with', line], environment));
  await verifyAll(`by-${name}`, page, folder.write('authority.pem', toPem(signer.authority.certificate)));
});

test('sign --file uploads signatures in files and in a ZIP, whatever their names, and says what it left out', async () => {
  const [first, second] = await toSign('in-hand');
  const made = async (document?: DocumentToSign) => {
    const input = folder.write('document', await world.stagedBytes('in-hand', document?.key.slice(15) ?? ''));
    const [key, cert, out] = [files.key, files.cert, folder.path('made')];
    const signing = ['cms', '-sign', '-binary', '-in', input, '-signer', cert, '-inkey', key, '-outform', 'DER'];
    await run('openssl', [...signing, '-out', out]);
    return readFileSync(out);
  };
  await run('openssl', ['crl2pkcs7', '-nocrl', '-certfile', files.cert, '-out', folder.path('chain.p7b')]);
  const zip = folder.write('many.zip', await zipped({ 'а/b.SGN': await made(second), 'readme.txt': 'x' }));
  const good = folder.write('x.p7s', await made(first));
  symlinkSync(good, folder.path('link.sig'));
  const bad = ['link.sig', 'nowhere.sig', 'chain.p7b'].map((name) => folder.path(name));
  const { code, stdout } = await commandLine(['sign', 'in-hand', '--file', ...bad, good, zip]);
  for (const [name, said, words] of [
    ['link.sig', 'refused', `${bad[0]} is a link, a folder, or larger than 64 MiB: it was not read.`],
    ['nowhere.sig', 'refused', `File ${bad[1]} does not exist: nothing was done.`],
    ['chain.p7b', 'refused', 'It has certificates and no signature.'],
    ['x.p7s', 'uploaded', 'for document-2.pdf, signed by Test signer.'],
    ['а/b.SGN', 'uploaded', 'for document-1.pdf, signed by Test signer.'],
    ['readme.txt', 'left out', 'It is not a signature, and was left out.'],
  ])
    expect(stdout.replaceAll(/ +/g, ' ')).toContain(`${name} ${said} ${words}`);
  expect(stdout).toContain('Order in-hand: 2 uploaded, 3 refused, 1 left out.');
  expect(code).toBe(1);
  expect(await world.untilEnd('in-hand', { signing: false })).toMatchObject({ status: 'CLOSED' });
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
  const command = spawn(process.execPath, ['bin/loan-orders.js', ...args], { env, stdio: 'ignore' });
  await vi.waitUntil(() => existsSync(running), { timeout: 20_000 });
  command.kill(signal);
  expect(await once(command, 'exit')).toEqual([code, null]);
  expect(readdirSync(temporary).filter((name) => name.startsWith('loan-orders-sign-'))).toEqual([]);
  await vi.waitUntil(() => !existsSync(running), { timeout: 20_000 });
}
