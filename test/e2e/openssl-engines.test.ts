import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { wordsOf } from '../../commands/sign/command-words.ts';
import { loanOrders } from '../helpers/command-line.ts';
import { outputOf } from '../helpers/commands-in.ts';
import { NO_OFFERS, openWorld, SIGNATURES_AT_ONCE } from '../helpers/open-world.ts';

const MODULE = '/usr/lib/softhsm/libsofthsm2.so';
const world = await openWorld({ settings: { ...SIGNATURES_AT_ONCE, ...NO_OFFERS, documentsToSign: 2 }, isNew: true });
const folder = mkdtempSync(join(tmpdir(), 'loan-orders-token-'));
afterAll(() => rmSync(folder, { recursive: true }));

const PAGE = readFileSync(new URL('../../docs/signing.md', import.meta.url), 'utf8');

/** The lines of a section, without the installation and the last, which is this command. */
function documentedLines(section: string): string {
  const [, block = ''] = new RegExp(`### ${section}.*?\`\`\`sh\\n(.*?)\`\`\``, 's').exec(PAGE) ?? [];
  return block
    .split('\n')
    .filter((line) => !/^(apt-get|npx) /.test(line))
    .join('\n');
}

const env = {
  PATH: process.env.PATH ?? '',
  SOFTHSM2_CONF: join(folder, 'softhsm2.conf'),
  PKCS11_MODULE_PATH: MODULE,
  SO_PIN: '4321',
  PIN: '1234',
};
const shell = async (lines: string) =>
  (await promisify(execFile)('sh', ['-e', '-c', lines], { cwd: folder, env })).stdout;
const sign = (orderRef: string, ...options: string[]) =>
  loanOrders(['--endpoint', world.aws.endpoint, 'sign', orderRef, ...options], env);

async function submitted(orderRef: string): Promise<void> {
  // OpenSSL made a certificate that is valid from now on, and the world's clock is behind.
  world.clock.advanceTo(Math.max(world.clock.now(), Date.now() + 60_000));
  await world.submitToSign(orderRef);
}

async function expectAccepted(orderRef: string): Promise<void> {
  expect(await world.untilEnd(orderRef, { signing: false })).toMatchObject({ status: 'CLOSED' });
  const keys = await world.stagedKeys(orderRef);
  expect(keys.filter((name) => /^signatures-(rejected|unchecked)/.test(name))).toEqual([]);
}

test.runIf(existsSync(MODULE))(
  'the gate and the order service accept a signature of a key in a token, made with the lines of the documents',
  async () => {
    mkdirSync(join(folder, 'tokens'));
    writeFileSync(join(folder, 'softhsm2.conf'), `directories.tokendir = ${join(folder, 'tokens')}\n`);
    const key = await shell(`{\n${documentedLines('A key in an HSM')}\n} >&2\nprintf %s "$KEY"`);
    expect(key).toMatch(/^pkcs11:token=loan-orders;object=signer;/);
    await submitted('by-token');
    const { stderr } = await sign('by-token', '--key', key, '--cert', join(folder, 'cert.pem'));
    // The line that it prints is for a shell.
    const [option = '', line = ''] = wordsOf(/--with .*/.exec(stderr)?.[0] ?? '', 'linux');
    outputOf(await sign('by-token', option, line));
    await expectAccepted('by-token');
  },
);

test.runIf(existsSync('/usr/lib/x86_64-linux-gnu/engines-3/gost.so'))(
  'the gate and the order service accept a signature of a GOST key, made with the lines of the documents',
  async () => {
    await shell(documentedLines('GOST keys'));
    await submitted('by-gost');
    const [, line = ''] = /--with "(openssl .* gost .*)"/.exec(PAGE) ?? [];
    outputOf(await sign('by-gost', '--with', line.replaceAll(/\b(key|cert)\.pem/g, join(folder, '$&'))));
    await expectAccepted('by-gost');
  },
);
