import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inject } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Runs a program in a folder, as somebody who has only Node and npm. */
export async function runIn(cwd: string, program: string, ...args: string[]): Promise<string> {
  const { PATH, HOME = '' } = process.env;
  const env = { HOME, PATH: `${dirname(process.execPath)}:${PATH}`, CDK_DISABLE_CLI_TELEMETRY: 'true' };
  return (await promisify(execFile)(program, args, { cwd, env, maxBuffer: 2 ** 26 })).stdout;
}

/** Returns the path of the tarball, which npm prints last. */
async function pack(folder: string, destination: string, ...options: string[]): Promise<string> {
  const printed = await runIn(folder, 'npm', 'pack', '--silent', '--pack-destination', destination, ...options);
  return join(destination, printed.trim().split('\n').at(-1) ?? '');
}

/** An empty folder into which the package was installed. Its dependencies come from npm's cache, or from the registry. */
export async function installedPackage() {
  const folder = mkdtempSync(join(inject('temporaryDirectory'), 'package-'));
  const [, cdk = ''] = /tgz (aws-cdk-lib@\S+ constructs@\S+)/.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
  const install = (tarball: string) =>
    runIn(folder, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', tarball, ...cdk.split(' '));
  const released = await pack(root, folder);
  await install(released);
  const home = join(folder, 'node_modules/business-loan-orders');
  return {
    folder,
    home,
    released,
    install,
    loanOrders: (...args: string[]) => runIn(folder, join(folder, 'node_modules/.bin/loan-orders'), ...args),
  };
}

/** The next release, with another version and a function that was changed. Returns its tarball. */
export async function nextRelease(home: string, folder: string, version: string, changed: string) {
  const next = join(folder, version);
  cpSync(home, next, { recursive: true });
  const change = (file: string, text: (before: string) => string) =>
    writeFileSync(join(next, file), text(readFileSync(join(next, file), 'utf8')));
  for (const file of ['package.json', 'dist/package.json'])
    change(file, (text) => text.replace('"version": "1.0.0"', `"version": "${version}"`));
  change(`dist/bundles/${changed}/index.mjs`, (text) => `${text}\nglobalThis.release = '${version}';\n`);
  return pack(next, folder, '--ignore-scripts');
}
