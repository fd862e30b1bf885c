import { execFileSync } from 'node:child_process';
import type { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { readCertificates } from '../../certificate-path.ts';

const folder = fileURLToPath(new URL('../gost/', import.meta.url));

/** Whether this machine's OpenSSL has the GOST engine. */
export const hasEngine = (() => {
  try {
    execFileSync('openssl', ['engine', 'gost', '-t'], { stdio: 'pipe' });
    return true;
  } catch {
    process.stderr.write('SKIPPED: signatures by OpenSSL, because it has no GOST engine (libengine-gost-openssl).\n');
    return false;
  }
})();

export class GostFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  bytes(name: string): Buffer {
    return readFileSync(join(this.#folder, name));
  }

  authority(name: string): X509Certificate {
    return readCertificates(this.bytes(`${name}.pem`).toString())[0] as X509Certificate;
  }
}

export const kept = new GostFiles(join(folder, 'files'));

/** Files with new keys, for the test that runs. */
export function newFiles(): GostFiles {
  const made = mkdtempSync(join(tmpdir(), 'gost-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  execFileSync(join(folder, 'make-files.sh'), { cwd: made, stdio: 'pipe' });
  return new GostFiles(made);
}
