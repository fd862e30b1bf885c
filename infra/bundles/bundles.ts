import { readFileSync } from 'node:fs';
import { version } from 'esbuild';
import { type Bundle, build, buildOptions } from './build.ts';
import { keep, readKept, sha256 } from './cache.ts';

/** What builds, beside esbuild itself. */
const builders = ['build-process.ts', 'plain-schema-keys.ts', 'unused-modules.ts'].map(
  (file) => new URL(file, import.meta.url),
);

/**
 * The bundle of every function of the project at `root` (with its `/` at the end). They are built only if something has changed since
 * they were kept: an input, the options, esbuild, or the packages.
 */
export function bundlesOf(
  root: string,
  constants: Record<string, string>,
): { bundles: Record<string, Bundle>; built: boolean } {
  const options = buildOptions(root, constants);
  const settled = ['package-lock.json', 'package.json', 'tsconfig.json'].map((file) => `${root}${file}`);
  const files = [...settled, ...builders].map((file) => readFileSync(file));
  const settings = sha256(JSON.stringify([version, options, files.map(sha256)]));
  // Named by the root too: copies of the project may share one node_modules.
  const path = `${root}node_modules/.cache/loan-orders/bundles-${sha256(JSON.stringify([root, constants]))}`;
  const kept = readKept(path, settings, root);
  if (kept) return { bundles: kept, built: false };
  const startedAt = Date.now();
  const made = build(options);
  keep(path, settings, root, made, startedAt);
  return { bundles: made.bundles, built: true };
}
