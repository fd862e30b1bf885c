import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { deserialize } from 'node:v8';
import type { BuildOptions } from 'esbuild';

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
export function build(options: ReturnType<typeof buildOptions>): Build {
  const script = fileURLToPath(new URL('build-process.ts', import.meta.url));
  // In a process of its own: the CDK asks for an asset and waits, and esbuild takes plugins only where it need not be waited for.
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], {
    input: JSON.stringify(options),
    maxBuffer: Number.POSITIVE_INFINITY,
  });
  if (status !== 0) throw new Error(stderr.toString());
  process.stderr.write(stderr);
  return deserialize(stdout) as Build;
}
