import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';
import { bundlesOf } from '../infra/bundles/bundles.ts';

const ROUNDS = 9;
const BARE = 'one bare client';
const root = fileURLToPath(new URL('../', import.meta.url));

/** How long the import of each bundle takes, in milliseconds, each time in a fresh process; all of them in turn, `ROUNDS` times. */
function measure(modules: Record<string, string>): Record<string, number[]> {
  const times: Record<string, number[]> = Object.fromEntries(Object.keys(modules).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, path] of Object.entries(modules)) {
      const script = `const start = performance.now(); await import(${JSON.stringify(pathToFileURL(path).href)});
        process.stdout.write(String(performance.now() - start));`;
      const printed = execFileSync(process.execPath, ['--enable-source-maps', '--input-type=module', '--eval', script]);
      times[name]?.push(Number(printed));
    }
  }
  return times;
}

/** Writes the bundles of all functions, and of one DynamoDB client that is made as the SDK's own pages show it. */
function writeModules(directory: string): Record<string, string> {
  const modules: Record<string, string> = { [BARE]: join(directory, 'bare.mjs') };
  buildSync({
    stdin: {
      contents:
        "import { DynamoDBClient } from '@aws-sdk/client-dynamodb'; export const client = new DynamoDBClient({});",
      resolveDir: root,
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    mainFields: ['module', 'main'],
    minify: true,
    outfile: join(directory, 'bare.mjs'),
  });
  for (const [name, files] of Object.entries(bundlesOf(root, {}).bundles)) {
    modules[name] = join(directory, name, 'index.mjs');
    mkdirSync(join(directory, name));
    for (const [file, content] of Object.entries(files)) writeFileSync(join(directory, name, file), content);
  }
  return modules;
}

const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
const directory = mkdtempSync(join(tmpdir(), 'loan-orders-imports-'));
try {
  const only = process.argv.slice(2);
  const modules = Object.entries(writeModules(directory));
  const times = measure(
    Object.fromEntries(modules.filter(([name]) => !only[0] || name === BARE || only.includes(name))),
  );
  const bare = median(times[BARE] ?? []);
  const rows = Object.entries(times).map(([name, of]) => [
    name,
    { milliseconds: median(of), ratio: median(of) / bare },
  ]);
  console.table(Object.fromEntries(rows));
} finally {
  rmSync(directory, { recursive: true });
}
