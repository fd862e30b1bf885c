import { fileURLToPath } from 'node:url';
import type { Bundle } from './build.ts';
import { beginBundles } from './bundles.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const begun = new Map<string, () => Record<string, Bundle>>();

/** Starts to bundle this project's functions, once per process for the same constants. */
export function beginProjectBundles(constants: Record<string, string> = {}): () => Record<string, Bundle> {
  const key = JSON.stringify(constants);
  const already = begun.get(key);
  if (already) return already;
  const waitForBundles = beginBundles(root, constants);
  let bundles: Record<string, Bundle> | undefined;
  const wait = () => {
    bundles ??= waitForBundles().bundles;
    return bundles;
  };
  begun.set(key, wait);
  return wait;
}

/** The bundle of every function of this project, by function name. */
export function projectBundles(constants: Record<string, string>): Record<string, Bundle> {
  return beginProjectBundles(constants)();
}
