import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { version } from 'esbuild';
import { type Bundle, build, buildOptions } from './build.ts';
import { keep, readKept, sha256 } from './cache.ts';

/** Files that decide how the inputs are built. */
const BUILDERS = ['package-lock.json', 'package.json', 'tsconfig.json'];

const project = fileURLToPath(new URL('../../', import.meta.url));
let bundles: Record<string, Bundle> | undefined;

/** The bundle of every function of this project, by function name. They are made once per process. */
export function projectBundles(): Record<string, Bundle> {
  bundles ??= bundlesOf(project).bundles;
  return bundles;
}

/**
 * The bundle of every function of the project at `root` (which ends in `/`): from the cache, or built if an input, the options,
 * esbuild or the packages have changed.
 * @throws Error with esbuild's message.
 */
export function bundlesOf(root: string): { bundles: Record<string, Bundle>; built: boolean } {
  const options = buildOptions(root);
  const builders = [...BUILDERS.map((file) => `${root}${file}`), new URL('build.ts', import.meta.url)];
  const settings = sha256(JSON.stringify([version, options, builders.map((file) => sha256(readFileSync(file)))]));
  const path = `${root}node_modules/.cache/loan-orders/bundles`;
  const kept = readKept<Record<string, Bundle>>(path, settings, root);
  if (kept) return { bundles: kept, built: false };
  const startedAt = Date.now();
  const { bundles, inputs, warnings } = build(options);
  process.stderr.write(warnings);
  keep(path, { settings, content: bundles }, root, inputs, startedAt);
  return { bundles, built: true };
}
