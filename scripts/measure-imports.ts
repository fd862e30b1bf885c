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

/** The duration of an import in milliseconds. */
interface Sample {
  wall: number;
  cpu: number;
}

/** Measures the import of each bundle in a new process. All bundles take turns, `ROUNDS` times. */
function measure(modules: Record<string, string>): Record<string, Sample[]> {
  const samples: Record<string, Sample[]> = Object.fromEntries(Object.keys(modules).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, path] of Object.entries(modules)) {
      const script = `const start = performance.now(); const startCpu = process.cpuUsage();
        await import(${JSON.stringify(pathToFileURL(path).href)});
        const { user, system } = process.cpuUsage(startCpu);
        process.stdout.write(JSON.stringify({ wall: performance.now() - start, cpu: (user + system) / 1000 }));`;
      const printed = execFileSync(process.execPath, ['--enable-source-maps', '--input-type=module', '--eval', script]);
      samples[name]?.push(JSON.parse(printed.toString()) as Sample);
    }
  }
  return samples;
}

/** Writes the bundles of all functions, and one of a bare DynamoDB client as in the SDK's documentation. */
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
  for (const [name, files] of Object.entries(bundlesOf(root).bundles)) {
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
  const samples = measure(
    Object.fromEntries(modules.filter(([name]) => !only[0] || name === BARE || only.includes(name))),
  );
  const medians = Object.entries(samples).map(([name, of]) => ({
    name,
    wall: median(of.map(({ wall }) => wall)),
    cpu: median(of.map(({ cpu }) => cpu)),
  }));
  const bare = medians.find(({ name }) => name === BARE) ?? { wall: Number.NaN, cpu: Number.NaN };
  const rows = medians.map(({ name, wall, cpu }) => [
    name,
    { 'CPU ms': cpu, 'CPU ratio': cpu / bare.cpu, 'wall ms': wall, 'wall ratio': wall / bare.wall },
  ]);
  console.table(Object.fromEntries(rows));
} finally {
  rmSync(directory, { recursive: true });
}
