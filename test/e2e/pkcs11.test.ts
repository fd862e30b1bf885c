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

/** The lines of docs/signing.md, without the installation and the last, which is this command. */
function documentedLines(): string {
  const page = readFileSync(new URL('../../docs/signing.md', import.meta.url), 'utf8');
  const [, block = ''] = /### A key in an HSM.*?```sh\n(.*?)```/s.exec(page) ?? [];
  return block
    .split('\n')
    .filter((line) => !/^(apt-get|npx) /.test(line))
    .join('\n');
}

test.runIf(existsSync(MODULE))(
  'the gate and the order service accept a signature of a key in a token, made with the lines of the documents',
  async () => {
    mkdirSync(join(folder, 'tokens'));
    writeFileSync(join(folder, 'softhsm2.conf'), `directories.tokendir = ${join(folder, 'tokens')}\n`);
    const env = {
      PATH: process.env.PATH ?? '',
      SOFTHSM2_CONF: join(folder, 'softhsm2.conf'),
      PKCS11_MODULE_PATH: MODULE,
      SO_PIN: '4321',
      PIN: '1234',
    };
    const shell = async (lines: string) =>
      (await promisify(execFile)('sh', ['-e', '-c', lines], { cwd: folder, env })).stdout;
    const key = await shell(`{\n${documentedLines()}\n} >&2\nprintf %s "$KEY"`);
    expect(key).toMatch(/^pkcs11:token=loan-orders;object=signer;/);
    // OpenSSL made a certificate that is valid from now on, and the world's clock is behind.
    world.clock.advanceTo(Math.max(world.clock.now(), Date.now() + 60_000));
    await world.submitToSign('by-token');
    const sign = (...options: string[]) =>
      loanOrders(['--endpoint', world.aws.endpoint, 'sign', 'by-token', ...options], env);
    const { stderr } = await sign('--key', key, '--cert', join(folder, 'cert.pem'));
    // The line that it prints is for a shell.
    const [option = '', line = ''] = wordsOf(/--with .*/.exec(stderr)?.[0] ?? '', 'linux');
    outputOf(await sign(option, line));
    expect(await world.untilEnd('by-token', { signing: false })).toMatchObject({ status: 'CLOSED' });
    const keys = await world.stagedKeys('by-token');
    expect(keys.filter((name) => /^signatures-(rejected|unchecked)/.test(name))).toEqual([]);
  },
);
