/**
 * `npm run audit`: looks up the packages of `package-lock.json` among known vulnerabilities. It asks npm's registry first. If that does not
 * answer, osv-scanner searches the local database, if both are installed. Exit codes: 0 no known vulnerability, 1 a package is vulnerable,
 * 2 nothing could be looked up.
 */
import { spawnSync } from 'node:child_process';

const VULNERABLE = 1;
const NOT_LOOKED_UP = 2;

interface NpmAudit {
  vulnerabilities?: Record<
    string,
    { severity: string; via: (string | { title: string; url: string; range: string })[] }
  >;
  message?: string;
}

/** What npm's registry knows: a line for each vulnerability. `failed` says why it could not be asked. */
function askNpm(): { lines: string[] } | { failed: string } {
  const { stdout, stderr, error } = spawnSync('npm', ['audit', '--json'], { encoding: 'utf8' });
  if (error) return { failed: error.message };
  const { vulnerabilities, message } = parsed(stdout);
  if (!vulnerabilities) return { failed: message ?? `no answer that can be read (${stderr.trim().split('\n')[0]})` };
  const lines = Object.entries(vulnerabilities).flatMap(([name, { severity, via }]) =>
    via.flatMap((one) =>
      typeof one === 'string' ? [] : [`${name} ${one.range}: ${severity}: ${one.title} (${one.url})`],
    ),
  );
  return { lines };
}

function parsed(text: string): NpmAudit {
  try {
    return JSON.parse(text) as NpmAudit;
  } catch {
    return {};
  }
}

/** The exit code of osv-scanner, which prints its findings. Undefined if it is not installed or failed. */
function askScanner(): number | undefined {
  const args = ['scan', 'source', '--offline', '--lockfile', 'package-lock.json'];
  const { status } = spawnSync('osv-scanner', args, { stdio: 'inherit' });
  // 0 and 1 are answers; it has other codes for its own failures (https://google.github.io/osv-scanner/output/#return-codes).
  return status === 0 || status === VULNERABLE ? status : undefined;
}

const npm = askNpm();
if ('lines' in npm) {
  const found = npm.lines.length > 0;
  console.log(found ? npm.lines.join('\n') : 'npm knows no vulnerability of a package in package-lock.json.');
  process.exitCode = found ? VULNERABLE : 0;
} else {
  const code = askScanner();
  if (code === undefined) {
    console.error(
      `package-lock.json was not audited. npm's registry: ${npm.failed}. osv-scanner: it is not installed, or has no database ` +
        '("osv-scanner --offline-vulnerabilities --download-offline-databases" fetches it where there is a network).',
    );
  }
  process.exitCode = code ?? NOT_LOOKED_UP;
}
