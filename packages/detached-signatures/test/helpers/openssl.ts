import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { content } from './cms.ts';

const folder = mkdtempSync(join(tmpdir(), 'openssl-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
export const put = (name: string, bytes: string | Buffer) => writeFileSync(join(folder, name), bytes);
put('content', content);
put('ca.cnf', '[req]\ndistinguished_name=dn\nstring_mask=utf8only\n[dn]\n[ours]\nO=Ours\n');

/** Runs OpenSSL in a folder of its own. The last argument is the file that it writes. */
export function openssl(command: string, ...more: string[]): Buffer {
  const args = [...command.split(' '), ...more];
  execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  return readFileSync(join(folder, args.at(-1) as string));
}

export const GOST = '-engine gost -newkey gost2012_256 -pkeyopt paramset:TCA'.split(' ');
export const hasEngine = (() => {
  try {
    return openssl('req -x509 -config ca.cnf -nodes -subj /CN=x', ...GOST, '-keyout', 'x', '-out', 'y').length > 0;
  } catch {
    process.stderr.write('SKIPPED: certificates with GOST keys, because OpenSSL has no GOST engine.\n');
    return false;
  }
})();

/** Makes `<name>.pem` and `<name>.key`, with a P-256 key by default, issued by another name or self-signed. */
export function certify(name: string, by: string | undefined, ...options: string[]): X509Certificate {
  const hasKey = options.some((one) => ['-newkey', '-key'].includes(one));
  const key = hasKey ? [] : ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];
  const issuer = by === undefined ? [] : ['-CA', `${by}.pem`, '-CAkey', `${by}.key`];
  const files = ['-keyout', `${name}.key`, '-out', `${name}.pem`];
  const command = `req -x509 -config ca.cnf -nodes -days 3000 -subj /CN=${name}`;
  return new X509Certificate(openssl(command, ...key, ...issuer, ...options, ...files));
}

/** A detached signature of the content. */
export const signedBy = (name: string, ...options: string[]): Buffer =>
  openssl(
    `cms -sign -binary -in content -signer ${name}.pem -inkey ${name}.key`,
    ...options,
    ...'-outform DER -out signature'.split(' '),
  );
