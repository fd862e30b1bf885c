import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Bundle, build, buildOptions } from './build.ts';
import { buildSimulator, SIMULATOR } from './simulator.ts';

const project = fileURLToPath(new URL('../../', import.meta.url));
/** The bundles that the package was released with. A checkout has none. */
const RELEASED = join(project, 'bundles');

let made: Record<string, Bundle> | undefined;

/**
 * The bundle of a function, or of the simulator: as released, else built here, once per process.
 * @throws Error with esbuild's message.
 */
export function bundleOf(name: string): Bundle {
  const bundle = existsSync(RELEASED) ? releasedBundle(name) : builtBundle(name);
  if (!bundle) throw new Error(`There is no function ${name}.`);
  return bundle;
}

function releasedBundle(name: string): Bundle | undefined {
  const folder = join(RELEASED, name);
  if (!existsSync(folder)) return undefined;
  return Object.fromEntries(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file))]));
}

function builtBundle(name: string): Bundle | undefined {
  if (name === SIMULATOR) return buildSimulator(project).bundle;
  made ??= bundlesOf(project);
  return made[name];
}

/**
 * Builds every function of the project at `root`, which ends in `/`.
 * @throws Error with esbuild's message.
 */
export function bundlesOf(root: string): Record<string, Bundle> {
  const { bundles, warnings } = build(buildOptions(root));
  process.stderr.write(warnings);
  return bundles;
}
