import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { expect, inject, onTestFinished, test } from 'vitest';
import { writeFiles } from '../../infra/bundles/own-files.ts';
import { BundledFunction } from '../../infra/constructs/bundled-function.ts';
import { refuseSharedResources, refuseWrongAddress, warnOfNeighbours } from '../../infra/neighbours.ts';
import { EMBEDDED_CONTEXT } from '../../infra/stage-folder.ts';
import { stageSettings } from '../../infra/stages.ts';
import { keep, provideAssembly, readKept } from '../../laptop/assembly.ts';
import { projectRoot, synthesize } from '../../laptop/synthesize.ts';
import { stagesWith } from '../helpers/stage-files.ts';

const uid = process.getuid?.();
const newFolder = (name: string) => join(mkdtempSync(join(inject('temporaryDirectory'), 'own-files-')), name);
const allIn = (folder: string) =>
  ['', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })].map((name) => join(folder, name));
/** Types and permissions, in octal. */
const modesIn = (folder: string) => [...new Set(allIn(folder).map((path) => statSync(path).mode.toString(8)))].sort();

function useUmask(mask: number): void {
  const umask = process.umask(mask);
  onTestFinished(() => void process.umask(umask));
}

/** Does what another user can who may write there. */
function plant(path: string): void {
  const file = statSync(path).isDirectory() ? join(path, 'planted') : path;
  writeFileSync(file, 'planted');
  chmodSync(path, 0o777);
  if (uid === 0) chownSync(file, 65_534, 65_534);
}

test('whatever the umask, only its user can change an assembly, and a synth keeps nothing of another user who could', async () => {
  useUmask(0o000);
  const [assembly, kept] = [newFolder('cdk.out'), newFolder('kept')];
  await provideAssembly('local', kept);
  await synthesize('local', assembly, { context: { legacy: 'beside' } });
  expect([modesIn(assembly), modesIn(kept)]).toEqual(Array(2).fill(['100644', '40755']));
  const assets = readdirSync(assembly).filter((name) => name.startsWith('asset.'));
  // "cdk deploy" publishes such a ZIP instead of the folder.
  for (const name of assets) writeFiles(assembly, { [`.cache/${name.slice(6)}.zip`]: '' });
  for (const path of allIn(assembly).slice(1)) plant(path);
  chmodSync(assembly, 0o777);
  useUmask(0o077);
  await synthesize('rehearsal', assembly);
  expect(modesIn(assembly)).toEqual(['100644', '40755']);
  expect(allIn(assembly).filter((path) => statSync(path).uid !== uid)).toEqual([]);
  expect(allIn(assembly).filter((path) => statSync(path).size === 'planted'.length)).toEqual([]);
  // The permissions are no part of the hash of an asset.
  expect(assets.filter((name) => readdirSync(assembly).includes(name)).length).toBeGreaterThan(10);
  expect(statSync(`${projectRoot}node_modules/.cache/loan-orders`).mode.toString(8)).toBe('40700');
}, 180_000);

test('neither a file that others may have changed is used, nor the folder of another user', () => {
  const path = newFolder('cache/kept');
  const readAfter = (change: () => void) => {
    keep(path, { inputs: 'own', files: {} });
    change();
    return readKept(path)?.inputs;
  };
  expect(readAfter(() => undefined)).toBe('own');
  expect(readAfter(() => plant(dirname(path)))).toBe(undefined);
  expect(readAfter(() => chmodSync(path, 0o620))).toBe(undefined);
  const write = () => writeFiles(dirname(path), { kept: 'new' }, 0o755);
  plant(path);
  useUmask(0o077);
  write();
  expect([modesIn(dirname(path)), statSync(path).uid]).toEqual([['100755', '40755'], uid]);
  expect(readFileSync(path, 'utf8')).toBe('new');
  expect(() => keep(join(path, 'in a file'), { inputs: 'own', files: {} })).not.toThrow();
  if (uid !== 0) return;
  expect(readAfter(() => chownSync(path, 65_534, 65_534))).toBe(undefined);
  chownSync(dirname(path), 65_534, 65_534);
  expect(write).toThrow(`${dirname(path)} belongs to another user: remove it`);
});

test('the asset of a function has its module, its texts, a source map that finds the sources from anywhere, and nothing planted', () => {
  const outdir = mkdtempSync(join(inject('temporaryDirectory'), 'bundled-code-'));
  const text = 'A certificate\n'.repeat(1_000);
  const synth = () => {
    const stack = new Stack(new App({ outdir, context: { [EMBEDDED_CONTEXT]: 'true' } }), 'Stack');
    new BundledFunction(stack, 'Function', {
      stage: stageSettings('test'),
      name: 'record-end',
      description: 'bundled',
      texts: [{ variable: 'AUTHORITIES_FILE', file: 'authorities.pem', text }],
    });
    return Template.fromStack(stack);
  };
  const assets = () => readdirSync(outdir).filter((name) => name.startsWith('asset.'));
  synth();
  for (const file of ['index.mjs', 'planted.mjs']) writeFileSync(join(outdir, `${assets()}`, file), 'planted');
  const template = synth();
  const [asset = '', ...others] = assets();
  expect(others).toEqual([]);
  const read = (file: string) => readFileSync(join(outdir, asset, file), 'utf8');
  expect(readdirSync(join(outdir, asset)).sort()).toEqual(['authorities.pem', 'index.mjs', 'index.mjs.map']);
  const { sources } = JSON.parse(read('index.mjs.map')) as { sources: string[] };
  const paths = sources.map((source) => resolve(outdir, asset, source));
  expect(paths.filter((path) => path.endsWith('/functions/record-end/handler.ts'))).toHaveLength(1);
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  expect([read('authorities.pem'), read('index.mjs') === 'planted']).toEqual([text, false]);
  template.hasResourceProperties('AWS::Lambda::Function', {
    Environment: { Variables: Match.objectLike({ AUTHORITIES_FILE: 'authorities.pem' }) },
  });
});

const at = (host: string) => ({ baseUrl: `https://${host}.ru`, authorizationUrl: `https://login.${host}.ru` });
const prod = { orderService: at('bank'), account: '111122223333' };

function folderWith(others: Record<string, unknown>): string {
  const files = Object.entries(others).map(([name, settings]) => [`${name}.json`, settings]);
  return stagesWith({ 'prod.json': prod, ...Object.fromEntries(files) });
}

function warningsBeside(others: Record<string, unknown>): unknown[] {
  const folder = folderWith(others);
  refuseWrongAddress(stageSettings('prod', folder), folder);
  const stack = new Stack(new App({ builtinCloudFormationValidation: false }));
  warnOfNeighbours(stack, stageSettings('prod', folder), folder);
  return Annotations.fromStack(stack)
    .findWarning('*', Match.anyValue())
    .map(({ entry }) => entry.data);
}

test('a stage that keeps its data is not at the address of one that does not', () => {
  const folder = folderWith({ test: { orderService: at('bank'), keepData: false } });
  for (const name of ['prod', 'test']) {
    expect(() => refuseWrongAddress(stageSettings(name, folder), folder)).toThrow(
      /^Stages (prod and test|test and prod) both have orderService\.baseUrl https:\/\/bank\.ru, but only one of them keeps/,
    );
  }
});

test('the address that two stages share may be that of the authorization service', () => {
  const folder = folderWith({ test: { orderService: { ...at('bank'), baseUrl: 'https://test.ru' }, keepData: false } });
  expect(() => refuseWrongAddress(stageSettings('prod', folder), folder)).toThrow(
    'Stages prod and test both have orderService.authorizationUrl https://login.bank.ru, but only one of them keeps its data',
  );
});

test.each([
  [{ existing: { table: 'orders-restored' } }, 'existing.table orders-restored'],
  [{ buckets: { staging: 'bank-staging' } }, 'buckets.staging bank-staging'],
])('two stages of an account do not have %j', (given, named) => {
  const folder = folderWith({ test: { orderService: at('test'), ...given } });
  const stage = { ...stageSettings('prod', folder), ...stageSettings('test', folder), name: 'prod' };
  expect(() => refuseSharedResources({ ...stage, account: undefined }, folder)).toThrow(
    `Stages prod and test both have ${named}: give each stage its own.`,
  );
  refuseSharedResources(stageSettings('prod', folder), folder);
});

test('a stage whose name begins with that of another one in the same account may have its logs read', () => {
  const retail = { orderService: at('retail') };
  const sentence = 'Whoever may read the logs of stage prod may read those of prod-retail';
  for (const account of [undefined, prod.account])
    expect(warningsBeside({ 'prod-retail': { ...retail, account } })).toEqual([expect.stringContaining(sentence)]);
  expect(warningsBeside({ 'prod-retail': { ...retail, account: '444455556666' } })).toEqual([]);
});

test('other stages, the laptop and files that cannot be read cause no warning', () => {
  const others = { leasing: { orderService: at('bank') }, test: { orderService: at('test'), keepData: false } };
  expect(warningsBeside({ ...others, local: { ...prod, keepData: false }, broken: '{' })).toEqual([]);
});
