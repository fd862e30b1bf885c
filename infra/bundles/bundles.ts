import { fileURLToPath } from 'node:url';
import { type Bundle, build, buildOptions } from './build.ts';

const project = fileURLToPath(new URL('../../', import.meta.url));
const bundles = new Map<boolean, Record<string, Bundle>>();

/** The bundle of every function of this project, by function name. They are made once per process. */
export function projectBundles(libraries: boolean): Record<string, Bundle> {
  const made = bundles.get(libraries) ?? bundlesOf(project, libraries);
  bundles.set(libraries, made);
  return made;
}

/**
 * Builds every function of the project at `root`, which ends in `/`. With `libraries`, packages are in a separate bundle of that name, which
 * must be beside the others.
 * @throws Error with esbuild's message.
 */
export function bundlesOf(root: string, libraries = false): Record<string, Bundle> {
  const { bundles, warnings } = build(buildOptions(root), libraries);
  process.stderr.write(warnings);
  return bundles;
}
