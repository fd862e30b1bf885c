/**
 * `npm run audit`: asks npm's registry for known vulnerabilities of the packages in `package-lock.json`. Exit codes: 0 for none, 1 if a
 * package is vulnerable, 2 if the registry does not answer. `npm audit` has the same exit code for the last two.
 */
import { spawnSync } from 'node:child_process';

const NOT_ASKED = 2;

const { status, stdout, stderr } = spawnSync('npm', ['audit'], { encoding: 'utf8' });
const isAnswered = status === 0 || stdout.includes('# npm audit report');
process.stdout.write(stdout);
process.stderr.write(stderr);
if (!isAnswered) console.error("package-lock.json was not audited: npm's registry gave no answer.");
process.exitCode = isAnswered ? (status ?? NOT_ASKED) : NOT_ASKED;
