// Runs before `npm start` and `npm test`, with whatever Node the machine has: plain JavaScript that needs no package.
import { existsSync, readFileSync } from 'node:fs';

const { dependencies, devDependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const missing = [...Object.keys(dependencies), ...Object.keys(devDependencies)].filter(
  (name) => !existsSync(new URL(`../node_modules/${name}/package.json`, import.meta.url)),
);
// The project's own Node is one of the packages, and goes before the machine's once it is installed.
if (missing.length > 0 || Number.parseInt(process.versions.node, 10) < 24) {
  process.stderr.write('The packages of this project are not installed yet: type npm ci first.\n');
  process.exitCode = 1;
}
