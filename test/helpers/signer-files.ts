import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { makeSigner, type TestSigner, toPem } from '@business-loan-orders/detached-signatures/certificates';
import { afterAll } from 'vitest';

export const run = promisify(execFile);

/** A folder for the files of one test file. Its name has characters that need quoting in a shell. */
export function openFolder(): {
  path(name: string): string;
  write(name: string, content: string | Uint8Array): string;
} {
  const directory = mkdtempSync(join(tmpdir(), 'ключи $HOME `x` \'и\' "подписи" '));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  const path = (name: string) => join(directory, name);
  const write = (name: string, content: string | Uint8Array) => {
    writeFileSync(path(name), content);
    return path(name);
  };
  return { path, write };
}

export function signerFiles({ write }: ReturnType<typeof openFolder>, signer = makeSigner('p-256')) {
  return { key: write('key.pem', keyPem(signer)), cert: write('cert.pem', toPem(signer.certificate)) };
}

export function keyPem({ privateKey }: Pick<TestSigner, 'privateKey'>, passphrase?: string): string {
  const encryption = passphrase === undefined ? {} : { cipher: 'aes-256-cbc', passphrase };
  return String(privateKey.export({ type: 'pkcs8', format: 'pem', ...encryption }));
}

/** The signer's certificate followed by its authority's, in PEM. */
export function chainPem({ certificate, authority }: TestSigner): string {
  return toPem(certificate) + toPem(authority.certificate);
}

/** Verifies a detached DER signature of a document with OpenSSL. Rejects with its output if the signature is not valid. */
export async function verifyWithOpenssl(files: { signature: string; document: string; authority: string }) {
  const { signature, document, authority } = files;
  const command = 'cms -verify -binary -inform DER -purpose any -out /dev/null'.split(' ');
  return run('openssl', [...command, '-in', signature, '-content', document, '-CAfile', authority]);
}

/** A ZIP of these files, made by Info-ZIP. */
export async function zipped(files: Record<string, string | Uint8Array>, ...options: string[]): Promise<Buffer> {
  const cwd = mkdtempSync(join(tmpdir(), 'zipped-'));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), content);
  }
  await run('zip', ['-qr', ...options, 'made.zip', ...Object.keys(files)], { cwd });
  const made = readFileSync(join(cwd, 'made.zip'));
  rmSync(cwd, { recursive: true });
  return made;
}
