import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { bundlesOf } from '../infra/bundles/bundles.ts';
import { median, type Row, row } from './table.ts';

const root = fileURLToPath(new URL('../', import.meta.url));

const BARE = 'one bare DynamoDB client';

/** Measures the import of each function's bundle, and of a bundle with only a DynamoDB client, alternately and in new processes. */
export async function measureImports(directory: string, runs: number): Promise<Row[]> {
  const bare = join(directory, 'bare-client', 'index.mjs');
  await buildBareClient(bare);
  const files: Record<string, string> = { [BARE]: bare, ...writeBundles(directory) };
  const once = fileURLToPath(new URL('import-once.ts', import.meta.url));
  const times: Record<string, number[]> = {};
  for (let run = 0; run < runs; run += 1)
    for (const [name, file] of Object.entries(files)) {
      const { stdout } = await promisify(execFile)(process.execPath, [once, pathToFileURL(file).href]);
      times[name] = [...(times[name] ?? []), Number(stdout)];
    }
  const { [BARE]: bareTimes = [], ...others } = times;
  const beside = (some: number[]) => some.map((time) => time / median(bareTimes));
  return [
    row('CPU time of an import', BARE, 'ms', bareTimes),
    ...Object.entries(others).map(([name, some]) => row('Relative to the bare client', name, 'ratio', beside(some))),
  ];
}

/** Writes each function's bundle, as it is deployed, to `directory`. Returns paths by function name. */
function writeBundles(directory: string): Record<string, string> {
  const bundles = bundlesOf(root);
  for (const [name, files] of Object.entries(bundles)) {
    mkdirSync(join(directory, name));
    for (const [file, content] of Object.entries(files)) writeFileSync(join(directory, name, file), content);
  }
  return Object.fromEntries(Object.keys(bundles).map((name) => [name, join(directory, name, 'index.mjs')]));
}

/** Bundles a DynamoDB client as in the SDK's documentation, with the options of the functions' bundles. */
async function buildBareClient(outfile: string): Promise<void> {
  const contents =
    "import { DynamoDBClient } from '@aws-sdk/client-dynamodb'; export const client = new DynamoDBClient({});";
  await build({
    stdin: { contents, resolveDir: root },
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    mainFields: ['module', 'main'],
    // CommonJS code in the SDK calls `require` for Node's modules.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
}
