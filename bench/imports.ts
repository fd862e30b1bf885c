import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { interleaved, runScript } from './children.ts';
import { median, type Row, row } from './table.ts';

const BARE = 'one bare DynamoDB client';

/** Imports each function's bundle, and a bundle of only a client, in turns and in new processes. */
export async function measureImports(assemblyDirectory: string, runs: number): Promise<Row[]> {
  const bare = join(assemblyDirectory, 'bare-client', 'index.mjs');
  await buildBareClient(bare);
  const files: Record<string, string> = { [BARE]: bare, ...bundlesOf(assemblyDirectory) };
  const times = await interleaved(Object.keys(files), runs, (name) =>
    runScript<number>('import-once.ts', pathToFileURL(files[name] as string).href),
  );
  const { [BARE]: bareTimes = [], ...others } = times;
  const beside = (some: number[]) => some.map((time) => time / median(bareTimes));
  return [
    row('CPU time of an import', BARE, 'ms', bareTimes),
    ...Object.entries(others).map(([name, some]) => row('Beside the bare client', name, 'ratio', beside(some))),
  ];
}

interface Resource {
  Type: string;
  Properties: { FunctionName: string };
  Metadata?: Record<string, string>;
}

/** The path of each function's bundle in a synthesized stack. */
function bundlesOf(assemblyDirectory: string): Record<string, string> {
  const template = readFileSync(join(assemblyDirectory, 'LoanOrders-local.template.json'), 'utf8');
  const { Resources } = JSON.parse(template) as { Resources: Record<string, Resource> };
  const functions = Object.values(Resources).flatMap(({ Type, Properties, Metadata = {} }) => {
    const asset = Metadata['aws:asset:path'];
    if (Type !== 'AWS::Lambda::Function' || asset === undefined) return [];
    const name = Properties.FunctionName.replace('loan-orders-local-', '');
    return [[name, join(assemblyDirectory, asset, 'index.mjs')] as const];
  });
  return Object.fromEntries(functions.sort());
}

/** Builds a DynamoDB client as the SDK's documentation shows it, with the options of the functions' bundles. */
async function buildBareClient(outfile: string): Promise<void> {
  const contents =
    "import { DynamoDBClient } from '@aws-sdk/client-dynamodb'; export const client = new DynamoDBClient({});";
  await build({
    stdin: { contents, resolveDir: fileURLToPath(new URL('../', import.meta.url)) },
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
