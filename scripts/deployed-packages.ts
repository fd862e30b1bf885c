/** An entry of `package-lock.json`, as far as it is followed here. */
export interface LockedDependencies {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  resolved?: string;
  link?: boolean;
}

/** The name of the package at a path: `node_modules/a/node_modules/@b/c` is `@b/c`. */
export const packageName = (path: string) => path.split('node_modules/').at(-1) ?? '';

/**
 * The paths in `package-lock.json` of every package that the product needs: the root's `dependencies`, and theirs. The lock's mark `dev`
 * does not say this, because npm also counts what the tools in `packages/` need as deployed.
 */
export function deployedPaths(packages: Record<string, LockedDependencies>): Set<string> {
  const deployed = new Set<string>();
  const visit = (path: string): void => {
    const { dependencies, optionalDependencies, peerDependencies } = packages[path] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const found = resolve(path, name, packages);
      if (found === undefined || deployed.has(found)) continue;
      deployed.add(found);
      visit(packages[found]?.link ? (packages[found].resolved ?? found) : found);
    }
  };
  visit('');
  return deployed;
}

/** Where Node finds the package `name` from the folder `path`: the nearest `node_modules`. Undefined if it is optional and absent. */
function resolve(path: string, name: string, packages: Record<string, LockedDependencies>): string | undefined {
  const here = `${path === '' ? '' : `${path}/`}node_modules/${name}`;
  if (here in packages) return here;
  if (path === '') return undefined;
  const parent = path.lastIndexOf('/node_modules/');
  return resolve(parent === -1 ? '' : path.slice(0, parent), name, packages);
}
