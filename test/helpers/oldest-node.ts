import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The oldest version that the README promises for the built command line. */
const OLDEST = '20.19.0';
const PROMISED = /^v20\.(19|[2-9]\d)\./;
const installed = fileURLToPath(new URL('../../node_modules/.cache/oldest-node', import.meta.url));

/** A Node 20 as the README promises: the one of this machine if it has one, or else one that npm installs beside the packages. */
export function oldestNode(): string {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  const ofMachine = folders.map((folder) => join(folder, 'node')).find((path) => existsSync(path) && isPromised(path));
  if (ofMachine !== undefined) return ofMachine;
  const own = join(installed, 'node_modules/node/bin/node');
  if (!existsSync(own)) execFileSync('npm', ['install', '--no-save', '--prefix', installed, `node@${OLDEST}`]);
  return own;
}

const isPromised = (node: string): boolean => PROMISED.test(execFileSync(node, ['--version'], { encoding: 'utf8' }));
