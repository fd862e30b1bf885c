import { readFileSync } from 'node:fs';
import { serialize } from 'node:v8';
import { type BuildOptions, build, formatMessages } from 'esbuild';
import type { Build, Bundle } from './build.ts';
import { plainSchemaKeys } from './plain-schema-keys.ts';
import { unusedModules } from './unused-modules.ts';

const STDIN = 0;

/** Builds with the options from standard input; writes the build to standard output, and what esbuild has to say to the other. */
async function buildAll(): Promise<void> {
  const options = JSON.parse(readFileSync(STDIN, 'utf8')) as BuildOptions;
  const built = await build({ ...options, plugins: [plainSchemaKeys, unusedModules], write: false, metafile: true });
  const bundles: Record<string, Bundle> = {};
  for (const { path, contents } of built.outputFiles) {
    const [name = '', file = ''] = path.split(/[\\/]/).slice(-2);
    bundles[name] = { ...bundles[name], [file]: contents };
  }
  const warnings = await formatMessages(built.warnings, { kind: 'warning' });
  process.stderr.write(warnings.join(''));
  process.stdout.write(serialize({ bundles, inputs: Object.keys(built.metafile.inputs) } satisfies Build));
}

try {
  await buildAll();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
