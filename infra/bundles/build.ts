import { existsSync, readdirSync } from 'node:fs';
import { type BuildOptions, formatMessages, build as runEsbuild } from 'esbuild';
import { plainSchemaKeys } from './plain-schema-keys.ts';
import { unusedModules } from './unused-modules.ts';

/** What Lambda gets of a function: one self-contained module and its source map, by their file names. */
export type Bundle = Record<string, Uint8Array>;

/** The bundle of every function, and the files that they were made of, relative to the root of the project. */
export interface Build {
  bundles: Record<string, Bundle>;
  inputs: string[];
}

/**
 * How all functions are built, in one call. `constants` stand in the place of `process.env.<name>`. Source maps name the sources
 * relative to a folder `<one>/<function>/` below `root`.
 */
export function buildOptions(root: string, constants: Record<string, string>) {
  const functions = readdirSync(`${root}functions`).filter((name) => existsSync(`${root}functions/${name}/handler.ts`));
  return {
    absWorkingDir: root,
    entryPoints: Object.fromEntries(functions.map((name) => [`${name}/index`, `functions/${name}/handler.ts`])),
    outdir: 'bundles',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    mainFields: ['module', 'main'],
    minify: true,
    sourcemap: true,
    sourcesContent: false,
    alias: { '@aws-sdk/credential-provider-node': `${root}functions/shared/environment-credentials.ts` },
    define: Object.fromEntries(
      Object.entries(constants).map(([name, value]) => [`process.env.${name}`, JSON.stringify(value)]),
    ),
    logLevel: 'silent',
  } as const satisfies BuildOptions;
}

/** @throws Error with esbuild's own words. */
export async function build(options: ReturnType<typeof buildOptions>): Promise<Build & { warnings: string }> {
  const plugins = [plainSchemaKeys, unusedModules];
  const built = await runEsbuild({ ...options, plugins, write: false, metafile: true });
  const bundles: Record<string, Bundle> = {};
  for (const { path, contents } of built.outputFiles) {
    const [name = '', file = ''] = path.split(/[\\/]/).slice(-2);
    bundles[name] = { ...bundles[name], [file]: contents };
  }
  const warnings = await formatMessages(built.warnings, { kind: 'warning' });
  return { bundles, inputs: Object.keys(built.metafile.inputs), warnings: warnings.join('') };
}
