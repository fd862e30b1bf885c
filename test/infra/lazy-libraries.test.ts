import { fileURLToPath } from 'node:url';
import { buildSync, type Metafile } from 'esbuild';
import { expect, test } from 'vitest';
import { buildOptions, functionFolders } from '../../infra/bundles/build.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** The imports of every module. To print each shared module once, without a source map, takes a fifth of the time. */
const quick = { minify: false, sourcemap: false, splitting: true, write: false } as const;
const { metafile } = buildSync({ ...buildOptions(root), ...quick, metafile: true });

/** The packages that are evaluated when a module is imported. Packages behind `import()` are not. */
function evaluatedAtOnce(path: string, { inputs }: Metafile, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  for (const { path: imported, kind, external } of inputs[path]?.imports ?? []) {
    if (kind !== 'dynamic-import' && !external) evaluatedAtOnce(imported, { inputs, outputs: {} }, seen);
  }
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
