import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { makeSigner, toPem } from '@business-loan-orders/detached-signatures/certificates';

const folder = pathToFileURL(`${resolve('.local')}/`);

/** Paths of the PEM files for signing on the laptop, relative to the current folder. */
export interface SignerFiles {
  key: string;
  cert: string;
}

/** Made once, in `.local/` of the current folder. Only the laptop's order service accepts them. */
export function keepSignerFiles(): SignerFiles {
  const [key, cert] = [new URL('signer.key.pem', folder), new URL('signer.cert.pem', folder)];
  if (!existsSync(key) || !existsSync(cert)) {
    const { privateKey, certificate, authority } = makeSigner('p-256', { commonName: 'Person at the laptop' });
    mkdirSync(folder, { recursive: true });
    writeWhole(key, String(privateKey.export({ type: 'pkcs8', format: 'pem' })));
    writeWhole(cert, toPem(certificate) + toPem(authority.certificate));
  }
  return { key: fromHere(key), cert: fromHere(cert) };
}

function writeWhole(file: URL, text: string): void {
  const unfinished = `${fileURLToPath(file)}.${process.pid}`;
  writeFileSync(unfinished, text, { mode: 0o600 });
  renameSync(unfinished, file);
}

function fromHere(file: URL): string {
  return relative(process.cwd(), fileURLToPath(file));
}

export interface PersonsTurn {
  orderRef: string;
  waitingFor: 'signatures' | 'decision';
  /** The content of `offers.json`; empty before it exists. */
  offers: { offerId: string; status: string; creditOptions: { code: string }[] }[];
}

/** The next commands for the person. `place` is `--local`, or `--endpoint` with an address. */
export function commandsFor(
  { orderRef, waitingFor, offers }: PersonsTurn,
  place: string,
  files: SignerFiles,
): string[] {
  const command = `npx loan-orders ${place}`;
  if (waitingFor === 'signatures') {
    return ['waits for your signatures:', `  ${command} sign ${orderRef} --key ${files.key} --cert ${files.cert}`];
  }
  const { offerId, creditOptions } = offers.find(({ status }) => status === 'AVAILABLE') ?? {};
  return [
    'waits for your decision. Look at the offers and take one, several or none (--none):',
    `  ${command} offers ${orderRef}`,
    `  ${command} confirm ${orderRef} --offer ${offerId} --code ${creditOptions?.[0]?.code}`,
  ];
}
