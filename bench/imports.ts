import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { interleaved, runScript } from './children.ts';
import { sampleOf } from './sample.ts';

/** A function's bundle: its size in bytes, and its import times as ratios to the median of the bare client. */
export interface ImportedBundle {
  name: string;
  bytes: number;
  ratios: number[];
}

export interface Imports {
  /** Milliseconds to import the bare client. */
  bare: number[];
  bundles: ImportedBundle[];
}

const BARE = 'one bare DynamoDB client';
const BARE_SOURCE =
  "import { DynamoDBClient } from '@aws-sdk/client-dynamodb';\nexport const client = new DynamoDBClient({});\n";

interface Resource {
  Type: string;
  Properties: { FunctionName: string };
  Metadata?: Record<string, string>;
}

/** Imports the bundle of every function of a synthesized stack, and a bundle with only a client, in turns and in new processes. */
export async function measureImports(assemblyDirectory: string, runs: number): Promise<Imports> {
  const bundles = bundlesOf(assemblyDirectory);
  const bare = join(assemblyDirectory, 'bare-client', 'index.mjs');
  await buildBareClient(bare);
  const files: Record<string, string> = { [BARE]: bare, ...bundles };
  const times = await interleaved(Object.keys(files), runs, (name) =>
    runScript<number>('import-once.ts', pathToFileURL(files[name] as string).href),
  );
  const bareTimes = times[BARE] ?? [];
  const { median } = sampleOf(bareTimes);
  return {
    bare: bareTimes,
    bundles: Object.entries(bundles).map(([name, file]) => {
      const ratios = (times[name] ?? []).map((time) => time / median);
      return { name, bytes: statSync(file).size, ratios };
    }),
  };
}

/** The path of each function's bundle, by the function's folder. */
export function bundlesOf(assemblyDirectory: string): Record<string, string> {
  const template = join(assemblyDirectory, 'LoanOrders-local.template.json');
  const { Resources } = JSON.parse(readFileSync(template, 'utf8')) as { Resources: Record<string, Resource> };
  const functions = Object.values(Resources).flatMap(({ Type, Properties, Metadata = {} }) => {
    const asset = Metadata['aws:asset:path'];
    if (Type !== 'AWS::Lambda::Function' || asset === undefined) return [];
    const name = Properties.FunctionName.replace('loan-orders-local-', '');
    return [[name, join(assemblyDirectory, asset, 'index.mjs')] as const];
  });
  return Object.fromEntries(functions.sort());
}

/** Builds the bare client with the options of the functions' bundles. */
async function buildBareClient(outfile: string): Promise<void> {
  await build({
    stdin: { contents: BARE_SOURCE, resolveDir: fileURLToPath(new URL('../', import.meta.url)) },
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    mainFields: ['module', 'main'],
    // CommonJS code in the SDK loads Node's modules with `require`.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
}
