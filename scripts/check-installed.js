// Runs before `npm start` and `npm test` with any version of Node, so it is plain JavaScript without packages.
import { existsSync, readFileSync } from 'node:fs';

const { dependencies, devDependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const missing = [...Object.keys(dependencies), ...Object.keys(devDependencies)].filter(
  (name) => !existsSync(new URL(`../node_modules/${name}/package.json`, import.meta.url)),
);
// One of the packages is Node itself. Once it is installed, npm uses it instead of the machine's Node.
if (missing.length > 0 || Number.parseInt(process.versions.node, 10) < 24) {
  process.stderr.write('The packages of this project are not installed yet. Run npm ci first.\n');
  process.exitCode = 1;
}
