import { fileURLToPath } from 'node:url';
import { buildSync, type Metafile } from 'esbuild';
import { expect, test } from 'vitest';
import { buildOptions, functionFolders } from '../../infra/bundles/build.ts';
import { bundlesOf } from '../../infra/bundles/bundles.ts';

/** A cold start reads and mostly compiles the whole bundle. */
const MOST_BYTES = 770_000;
/** QuickJS and JSONata. They are read when a rule is applied, not at a cold start. */
const MOST_BYTES_OF_SANDBOX = 1_000_000;

const root = fileURLToPath(new URL('../../', import.meta.url));
const bundles = bundlesOf(root);
const modules = Object.entries(bundles).map(([name, files]) => ({
  name,
  module: Buffer.from(files['index.mjs'] ?? ''),
}));
const threads = Object.entries(bundles).flatMap(([name, files]) =>
  Object.keys(files).flatMap((file) => (file.endsWith('-thread.mjs') ? [`${name}/${file}`] : [])),
);

test('no bundle is larger than 770,000 bytes', () => {
  expect(modules.map(({ name }) => name)).toContain('receive-upload');
  const sizes = modules.map(({ name, module }) => ({ name, bytes: module.length }));
  expect(sizes.filter(({ bytes }) => bytes === 0 || bytes > MOST_BYTES)).toEqual([]);
});

test('no bundle imports node:http, which would load all of fetch', () => {
  const importing = (library: string) =>
    modules.filter(({ module }) => module.includes(`from"${library}"`)).map(({ name }) => name);
  expect(importing('node:https')).toHaveLength(modules.length);
  expect([...importing('node:http'), ...importing('http')]).toEqual([]);
});

test('the thread of rules is bundled only with the function that starts it, and only this thread contains JSONata', () => {
  expect(threads).toEqual(['choose-offer/rule-evaluator-thread.mjs']);
  const files = bundles['choose-offer'] ?? {};
  const holding = Object.keys(files).filter((file) => Buffer.from(files[file] ?? '').includes('jsonata.min.js'));
  expect(holding).toEqual(['rule-evaluator-thread.mjs.map']);
  expect(files['rule-evaluator-thread.mjs']?.length).toBeLessThan(MOST_BYTES_OF_SANDBOX);
});

/** The imports of every module. To print each shared module once, without a source map, takes a fifth of the time. */
const quick = { minify: false, sourcemap: false, splitting: true, write: false } as const;
const { metafile } = buildSync({ ...buildOptions(root), ...quick, metafile: true });

function evaluatedAtOnce(path: string, { inputs }: Metafile, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  for (const { path: imported, kind, external } of inputs[path]?.imports ?? [])
    if (kind !== 'dynamic-import' && !external) evaluatedAtOnce(imported, { inputs, outputs: {} }, seen);
  return seen;
}

const packagesOf = (paths: Set<string>) =>
  new Set([...paths].flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []));
const folders = functionFolders(root);

test.each(Object.keys(folders))('%s evaluates no schema, rule or ASN.1 library before it needs one', (name) => {
  const packages = packagesOf(evaluatedAtOnce(`${folders[name]}/handler.ts`, metafile));
  expect(packages).toContain('@aws-sdk/client-dynamodb');
  const heavy = ['zod', 'jsonata', 'asn1js', '@peculiar/asn1-cms', '@peculiar/asn1-schema', '@peculiar/asn1-x509'];
  expect(heavy.filter((library) => packages.has(library))).toEqual([]);
});

test('nothing that a function loads later uses a client: esbuild would wrap each of its modules, which doubles the import', () => {
  const later = Object.values(metafile.inputs).flatMap(({ imports }) =>
    imports.filter(({ kind, external }) => kind === 'dynamic-import' && !external).map(({ path }) => path),
  );
  expect(later).toContain('packages/detached-signatures/signature-gate.ts');
  const withClient = later.filter((path) => packagesOf(evaluatedAtOnce(path, metafile)).has('@aws-sdk/core'));
  expect(withClient).toEqual([]);
});

test('no bundle contains credential providers that Lambda does not use', () => {
  const packages = packagesOf(new Set(Object.keys(metafile.inputs)));
  expect(packages).toContain('@aws-sdk/credential-provider-env');
  const others = ['sso', 'ini', 'process', 'web-identity', 'http', 'login', 'node'];
  expect(others.filter((way) => packages.has(`@aws-sdk/credential-provider-${way}`))).toEqual([]);
});
