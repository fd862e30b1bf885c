import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pinned from '../../packages/node/package.json' with { type: 'json' };

/** The oldest version that the README promises for the package and for the one file. */
const OLDEST = '22.12.0';
const installed = fileURLToPath(new URL('../../node_modules/.cache/oldest-node', import.meta.url));

/** That Node, which npm installs beside the packages. */
export function oldestNode(): string {
  const name = Object.keys(pinned.optionalDependencies).find((one) =>
    one.endsWith(`${process.platform.replace('win32', 'win')}-${process.arch}`),
  );
  const node = join(installed, `node_modules/${name}/bin/node`);
  if (!existsSync(node)) execFileSync('npm', ['install', '--no-save', '--prefix', installed, `${name}@${OLDEST}`]);
  return node;
}
