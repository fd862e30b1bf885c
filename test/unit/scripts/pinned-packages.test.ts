import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, onTestFinished, test } from 'vitest';
import { answering } from '../../helpers/listening.ts';

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
