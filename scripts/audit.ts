/**
 * `npm run audit`: asks npm's registry for known vulnerabilities of the packages of `package-lock.json`. Exit codes: 0 none, 1 a package
 * is vulnerable, 2 the registry could not be asked. npm's own exit code for the last two is the same.
 */
import { spawnSync } from 'node:child_process';

const NOT_ASKED = 2;

const { status, stdout, stderr } = spawnSync('npm', ['audit'], { encoding: 'utf8' });
const isAnswered = status === 0 || stdout.includes('# npm audit report');
process.stdout.write(stdout);
process.stderr.write(stderr);
if (!isAnswered) console.error("package-lock.json was not audited: npm's registry gave no answer.");
process.exitCode = isAnswered ? (status ?? NOT_ASKED) : NOT_ASKED;
