import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, inject, onTestFinished, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { licenceProblems } from '../../../scripts/check-licences.ts';
import { brokenLinks } from '../../../scripts/check-links.ts';
import { outcomeOf } from '../../helpers/command-line.ts';
import { answering } from '../../helpers/listening.ts';

const ADVISORY = {
  id: 1,
  url: 'https://github.com/advisories/GHSA-0000-0000-0000',
  title: 'A document runs code',
  severity: 'high',
  vulnerable_versions: '<999.0.0',
};
const VERSION = manifest.dependencies.zod;
/** npm also asks which versions there are. */
const ZOD = {
  name: 'zod',
  'dist-tags': { latest: VERSION },
  versions: { [VERSION]: { name: 'zod', version: VERSION } },
};
let answer: { status: number; body: unknown };
const address = await answering((request, response) => {
  request.resume().on('end', () => {
    const { status, body } = request.method === 'GET' ? { status: 200, body: ZOD } : answer;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
});

test.each([
  ['knows a vulnerability', { status: 200, body: { zod: [ADVISORY] } }, 1, /Severity: high\nA document runs code/],
  ['does not answer', { status: 405, body: {} }, 2, /package-lock\.json was not audited: npm's registry/],
])('when the registry %s, the audit says so', async (_what, answered, code, words) => {
  answer = answered;
  const env = { ...process.env, npm_config_registry: `${address}/` };
  const outcome = await outcomeOf(['scripts/audit.ts'], { env });
  expect(outcome.stdout + outcome.stderr).toMatch(words);
  expect(outcome.code).toBe(code);
});

const project = fileURLToPath(new URL('../../../', import.meta.url));
const script = 'scripts/check-installed.js';

test('check-installed says in one sentence what to type if the packages are not installed', async () => {
  const clone = mkdtempSync(join(tmpdir(), 'clone-'));
  onTestFinished(() => rmSync(clone, { recursive: true }));
  mkdirSync(join(clone, 'scripts'));
  for (const file of ['package.json', script]) cpSync(join(project, file), join(clone, file));
  const stderr = 'The packages of this project are not installed yet. Run npm ci first.\n';
  expect(await outcomeOf([script], { cwd: clone })).toEqual({ code: 1, stdout: '', stderr });
});

test('check-installed prints nothing if the packages are installed', async () => {
  expect(await outcomeOf([script], { cwd: project })).toEqual({ code: 0, stdout: '', stderr: '' });
});

const lock = JSON.parse(readFileSync(new URL('../../../package-lock.json', import.meta.url), 'utf8')) as {
  packages: Parameters<typeof licenceProblems>[0];
};

const withPackage = (locked: object, path = 'node_modules/@scope/extra') =>
  licenceProblems({ ...lock.packages, [path]: { version: '1.0.0', ...locked } });

test.each(['MIT', '(MIT OR GPL-3.0-or-later)', 'MIT AND ISC'])('the licence %s is allowed', (license) => {
  expect(withPackage({ license })).toEqual([]);
});

test.each(['GPL-3.0-only', 'MIT AND GPL-3.0-only', 'SEE LICENSE IN LICENSE', 'MPL-2.0', ''])(
  'the licence "%s" is not allowed',
  (license) => {
    const problem = `@scope/extra 1.0.0 has the licence ${license}, which is not allowed.`;
    expect(withPackage({ license })).toEqual([problem]);
  },
);

test('a package without a licence is named, wherever it is installed', () => {
  expect(withPackage({}, 'node_modules/a/node_modules/b')).toEqual([
    'b 1.0.0 has the licence (none), which is not allowed.',
  ]);
});

test('a deprecated package is named with what its authors say', () => {
  expect(withPackage({ license: 'MIT', deprecated: 'Use another one.' })).toEqual([
    '@scope/extra 1.0.0 is deprecated: Use another one.',
  ]);
});

test('a development package may have another licence, a deployed one may not', () => {
  const path = 'node_modules/a/node_modules/lightningcss';
  expect(withPackage({ license: 'MPL-2.0', dev: true }, path)).toEqual([]);
  expect(withPackage({ license: 'MPL-2.0' }, path)).toEqual([
    'lightningcss 1.0.0 has the licence MPL-2.0, which is not allowed.',
  ]);
});

function brokenIn(files: Record<string, string>): string[] {
  return brokenLinks(Object.keys(files), (path) => files[path] ?? '');
}

test('a link to a file or a heading that is not there is reported, but not what is in code', () => {
  const readme = '# One\n[a](docs/a.md#two) [b](#two)\n`[a](b.md)`\n\n```md\n[a](b.md)\n```\n';
  expect(brokenIn({ 'README.md': readme, 'docs/a.md': 'See\n[b](b.md)\n```sh\n# Two\n```', 'b.md': '' })).toEqual([
    'README.md: docs/a.md#two is not a heading of docs/a.md.',
    'README.md: #two is not a heading of README.md.',
    'docs/a.md: b.md is not a file of the project.',
  ]);
});

interface Locked {
  version: string;
  integrity?: string;
  inBundle?: true;
  link?: true;
  hasInstallScript?: true;
  bin?: Record<string, string>;
  os?: string;
  cpu?: string;
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Locked> };
const installed = Object.entries(packages).filter(([path, { link }]) => path.startsWith('node_modules/') && !link);

function npm(command: string, registry: string, cwd: string) {
  const options = ['--registry', registry, '--cache', join(cwd, 'cache'), '--fetch-retries', '0', '--no-audit'];
  return promisify(execFile)('npm', [command, ...options], { cwd });
}

test('each package has a hash, and none but these two runs a script when it is installed', () => {
  expect(installed.filter(([, { integrity, inBundle }]) => !integrity && !inBundle)).toEqual([]);
  const scripted = installed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path);
  expect(scripted).toEqual(['node_modules/classic-level', 'node_modules/esbuild']);
});

test('another Node under the name and version of the pinned one is not installed', async () => {
  const [path = '', locked] =
    installed.find(([, { bin, os, cpu }]) => bin?.node && os === process.platform && cpu === process.arch) ?? [];
  const [name, version] = [path.slice('node_modules/'.length), locked?.version ?? ''];
  const folder = mkdtempSync(join(inject('temporaryDirectory'), 'pinned-'));
  const planted = JSON.stringify({ name, version, bin: { node: 'bin/node' } });
  mkdirSync(join(folder, 'package/bin'), { recursive: true });
  writeFileSync(join(folder, 'package/package.json'), planted);
  writeFileSync(join(folder, 'package/bin/node'), '#!/bin/sh\necho planted\n', { mode: 0o755 });
  execFileSync('tar', ['-czf', 'planted.tgz', 'package'], { cwd: folder });
  const sent: string[] = [];
  const address = await answering(({ url = '', headers }, response) => {
    sent.push(url);
    const dist = { tarball: `http://${headers.host}/${name}.tgz`, integrity: locked?.integrity };
    const packument = { name, versions: { [version]: { ...JSON.parse(planted), dist } } };
    response.end(url.endsWith('.tgz') ? readFileSync(join(folder, 'planted.tgz')) : JSON.stringify(packument));
  }, onTestFinished);
  const project = { name: 'project', version: '1.0.0', optionalDependencies: { [name]: version } };
  const lock = { ...project, lockfileVersion: 3, packages: { '': project, [path]: locked } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(project));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
  await npm('ci', address, folder).catch(({ stderr }) => expect(stderr).toContain('EINTEGRITY'));
  expect(sent).toContainEqual(expect.stringMatching(/tgz$/));
  expect(existsSync(join(folder, path, 'bin/node'))).toBe(false);
});

test('npm asks no registry for our own packages, whose names anybody may register, also when their versions are raised', async () => {
  const folder = mkdtempSync(join(inject('temporaryDirectory'), 'own-'));
  for (const path of ['', ...Object.keys(packages).filter((path) => path.startsWith('packages/'))]) {
    const { name, workspaces, ...others } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
    const named = Object.entries({ ...others.devDependencies, ...others.dependencies });
    const dependencies = Object.fromEntries(named.filter(([one]) => one.startsWith('@business-loan-orders/')));
    mkdirSync(join(folder, path), { recursive: true });
    const manifest = { name, version: '9.0.0', workspaces, dependencies };
    writeFileSync(join(folder, path, 'package.json'), JSON.stringify(manifest));
  }
  await npm('install', 'http://127.0.0.1:9', folder);
  expect(existsSync(join(folder, 'node_modules/@business-loan-orders/order-simulator/package.json'))).toBe(true);
});
