import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { build, type Plugin } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import { plainSchemaKeys, withPlainKeys } from '../../infra/bundles/plain-schema-keys.ts';

test('computed keys that are string constants of the module become literal keys, and nothing else changes', () => {
  const source = ['const _hH = "httpHeader";', 'const _n = 1;', 'var A = [{ [_hH]: _x, [_n]: 2, [other]: a[_hH] }];'];
  expect(withPlainKeys(source.join('\n')).split('\n')).toEqual([
    ...source.slice(0, 2),
    'var A = [{ "httpHeader": _x, [_n]: 2, [other]: a[_hH] }];',
  ]);
});

/** The complete schemas of a client as in its bundle. */
async function schemas(client: string, plugins: Plugin[]): Promise<string> {
  const contents = `export * from '@aws-sdk/${client}/dist-es/schemas/schemas_0.js';`;
  const directory = mkdtempSync(join(tmpdir(), 'schemas-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const outfile = join(directory, 'schemas.mjs');
  const resolveDir = fileURLToPath(new URL('.', import.meta.url));
  await build({ stdin: { contents, resolveDir }, bundle: true, platform: 'node', format: 'esm', outfile, plugins });
  return inspect(await import(outfile), { depth: null, maxArrayLength: null, maxStringLength: null });
}

test.each([
  ['client-s3', 'GetObjectRequest$'],
  ['client-dynamodb', 'GetItemInput$'],
])('the schemas of %s are the same with plain keys', async (client, schema) => {
  const plain = await schemas(client, [plainSchemaKeys]);
  expect(plain).toContain(schema);
  expect(plain === (await schemas(client, []))).toBe(true);
});
