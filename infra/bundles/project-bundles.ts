import { fileURLToPath } from 'node:url';
import type { Bundle } from './build.ts';
import { beginBundles } from './bundles.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
let begun: (() => Record<string, Bundle>) | undefined;

/** Starts to bundle this project's functions, once per process. */
export function beginProjectBundles(): () => Record<string, Bundle> {
  begun ??= begin();
  return begun;
}

/** Starts the build, and returns what waits for it. */
function begin(): () => Record<string, Bundle> {
  const waitForBundles = beginBundles(root);
  let bundles: Record<string, Bundle> | undefined;
  return () => {
    bundles ??= waitForBundles().bundles;
    return bundles;
  };
}

/** The bundle of every function of this project, by function name. */
export function projectBundles(): Record<string, Bundle> {
  return beginProjectBundles()();
}
