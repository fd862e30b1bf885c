import { readFileSync } from 'node:fs';
import { version } from 'esbuild';
import { build, buildOptions } from './build.ts';
import type { Bundles } from './bundles.ts';
import { keep, readKept, sha256 } from './cache.ts';

/** Our own build code. */
const builders = ['build.ts', 'named-errors.ts', 'plain-schema-keys.ts', 'program-text.ts', 'unused-modules.ts'].map(
  (file) => new URL(file, import.meta.url),
);

/** The cached bundles, or new ones if an input, the options, esbuild or the packages have changed. */
export async function makeBundles(root: string): Promise<Bundles> {
  const options = buildOptions(root);
  const settled = ['package-lock.json', 'package.json', 'tsconfig.json'].map((file) => `${root}${file}`);
  const files = [...settled, ...builders].map((file) => readFileSync(file));
  const settings = sha256(JSON.stringify([version, options, files.map(sha256)]));
  // The name depends on the root too, because copies of the project may share one node_modules.
  const path = `${root}node_modules/.cache/loan-orders/bundles-${sha256(root)}`;
  const kept = readKept(path, settings, root);
  if (kept) return { bundles: kept, built: false, warnings: '' };
  const startedAt = Date.now();
  const made = await build(options);
  keep(path, settings, root, made, startedAt);
  return { bundles: made.bundles, built: true, warnings: made.warnings };
}
