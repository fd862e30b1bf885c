import type { DroppedFile } from '../parts/drop-zone.tsx';

export interface DroppedPackage {
  /** The path of its folder; empty for single files. */
  folder: string;
  files: ReadonlyMap<string, File>;
}

/**
 * The packages among what was dropped: each folder with an order.json, or the one folder or the files that have none. Hidden files belong to
 * the operating system. `strays`: files beside packages, which belong to none.
 */
export function packagesIn(dropped: DroppedFile[]): { packages: DroppedPackage[]; strays: string[] } {
  const shown = dropped.filter(({ path }) => !path.split('/').some((name) => name.startsWith('.')));
  const [first = ''] = shown[0]?.path.split('/') ?? [];
  const isOne = shown.every(({ path }) => path.startsWith(`${first}/`)) && first !== 'documents';
  const named = shown
    .filter(({ path }) => `/${path}`.endsWith('/order.json'))
    .map(({ path }) => path.slice(0, -'order.json'.length));
  // A package's own folders are part of it.
  const outer = named.filter((root) => !named.some((other) => other !== root && root.startsWith(other)));
  const roots = outer.length > 0 ? outer.sort() : [isOne ? `${first}/` : ''];
  const rootOf = ({ path }: DroppedFile) => roots.find((root) => path.startsWith(root));
  const packages = roots.map((root) => ({
    folder: root.slice(0, -1),
    files: new Map(
      shown.filter((one) => rootOf(one) === root).map(({ path, file }) => [path.slice(root.length), file]),
    ),
  }));
  return { packages, strays: shown.filter((one) => rootOf(one) === undefined).map(({ path }) => path) };
}
