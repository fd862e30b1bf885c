import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { version } from 'esbuild';
import { type Bundle, build, buildOptions } from './build.ts';
import { keepBundle, readKept, sha256 } from './cache.ts';

/** Files that decide how the inputs are built. */
const BUILDERS = ['package-lock.json', 'package.json', 'tsconfig.json'];

const project = fileURLToPath(new URL('../../', import.meta.url));
const bundles = new Map<boolean, Record<string, Bundle>>();

/** The bundle of every function of this project, by function name. They are made once per process. */
export function projectBundles(libraries: boolean): Record<string, Bundle> {
  const made = bundles.get(libraries) ?? bundlesOf(project, libraries).bundles;
  bundles.set(libraries, made);
  return made;
}

/**
 * The bundle of every function of the project at `root` (which ends in `/`): from the cache, or built if an input, the options, esbuild or
 * the packages have changed. With `libraries`, packages are in a separate bundle of that name, which must be beside the others.
 * @throws Error with esbuild's message.
 */
export function bundlesOf(root: string, libraries = false): { bundles: Record<string, Bundle>; built: boolean } {
  const options = buildOptions(root);
  const own = ['build.ts', 'libraries.ts'].map((file) => new URL(file, import.meta.url));
  const builders = [...BUILDERS.map((file) => `${root}${file}`), ...own];
  const settings = sha256(JSON.stringify([version, options, builders.map((file) => sha256(readFileSync(file)))]));
  const path = `${root}node_modules/.cache/loan-orders/bundles${libraries ? '-and-libraries' : ''}`;
  const kept = readKept<Record<string, Bundle>>(path, settings, root);
  if (kept) return { bundles: kept, built: false };
  const startedAt = Date.now();
  const { bundles, inputs, warnings } = build(options, libraries);
  process.stderr.write(warnings);
  keepBundle(path, { settings, content: bundles }, root, inputs, startedAt);
  return { bundles, built: true };
}
