import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeSigner, toPem } from './certificates.ts';

const folder = new URL('../.local/', import.meta.url);

/** Files in PEM with which a person signs on the laptop, as paths from the current folder. */
export interface SignerFiles {
  key: string;
  cert: string;
}

/**
 * A key and its certificate, which its authority's follows, for the person at the laptop: made once, below `.local/`. They are good
 * for the laptop's order service alone.
 */
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

/** An order that waits for the person, by whom `status.json` names. */
export interface PersonsTurn {
  orderRef: string;
  waitingFor: 'signatures' | 'decision';
  /** What `offers.json` holds, once there is one. */
  offers: { offerId: string; status: string; creditOptions: { code: string }[] }[];
}

/** The commands with which the person takes the turn. `place` is `--local`, or `--endpoint` with an address. */
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
    'waits for your decision. Look at the offers, and take one or several, or none (--none):',
    `  ${command} offers ${orderRef}`,
    `  ${command} confirm ${orderRef} --offer ${offerId} --code ${creditOptions?.[0]?.code}`,
  ];
}
