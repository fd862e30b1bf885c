import { createPrivateKey, type KeyObject, sign, X509Certificate } from 'node:crypto';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { allowsKeyUse, certificateParts } from '@business-loan-orders/detached-signatures/certificate-parts';
import { certificateBlocks, dateProblem } from '@business-loan-orders/detached-signatures/certificate-path';
import { createDetachedSignature, type KeyType } from '@business-loan-orders/detached-signatures/create-signature';
import { InvalidSignature } from '@business-loan-orders/detached-signatures/reasons';
import { readLocalFile } from '../shared/local-file.ts';
import { Refusal } from '../shared/text.ts';
import { opensslOption } from './openssl-program.ts';
import type { Signer } from './sign-order.ts';

/**
 * A signer with the PEM files of a private key and its certificate.
 * @throws Refusal when one of them can't be used, or the key does not match the certificate.
 */
export async function keySigner(keyPath: string, certificatePath: string): Promise<Signer> {
  const certificates = await readCertificates(certificatePath);
  const option = opensslOption(keyPath, certificatePath, certificates[0]);
  // Last and without a full stop, for copying.
  if (option)
    throw new Refusal(
      `This command signs only with RSA and ECDSA keys in files, and ${keyPath} is another: nothing was signed. Give a program that signs, instead of --key and --cert: ${option}`,
    );
  const key = await readKey(keyPath);
  if (!certificates[0].checkPrivateKey(key)) {
    throw new Refusal(
      `The key in ${keyPath} does not belong to the ${certificates.length > 1 ? 'first ' : ''}certificate in ${certificatePath}: nothing was signed.`,
    );
  }
  const signer = {
    digestAlgorithm: 'sha256',
    keyType: keyTypeOf(key, keyPath),
    certificates: certificates.map(({ raw }) => raw),
    sign: async (data: Uint8Array) => sign('sha256', data, key),
  } as const;
  return async (read) => createDetachedSignature({ ...signer, digest: await read(), signingTime: new Date() });
}

async function readKey(path: string): Promise<KeyObject> {
  const pem = (await readLocalFile(path)).toString('latin1');
  if (!/-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(pem)) {
    return openKey({ key: pem }, `${path} has no readable private key in PEM: nothing was signed.`);
  }
  const passphrase = await askPassphrase(path);
  return openKey(
    { key: pem, passphrase },
    `The key in ${path} can't be opened: the passphrase is wrong, or the file is damaged. Nothing was signed.`,
  );
}

/** Replaces OpenSSL's error, which is hard to understand and has several codes for the same mistake. */
function openKey(key: { key: string; passphrase?: string }, otherwise: string): KeyObject {
  try {
    return createPrivateKey(key);
  } catch {
    throw new Refusal(otherwise);
  }
}

function keyTypeOf({ asymmetricKeyType }: KeyObject, path: string): KeyType {
  if (asymmetricKeyType === 'rsa') return 'rsa';
  if (asymmetricKeyType === 'ec') return 'ecdsa';
  throw new Refusal(
    `The key in ${path} is ${asymmetricKeyType}, but this command signs with RSA or ECDSA only: nothing was signed. Let a program sign with it: --with (docs/signing.md).`,
  );
}

/** The variable for the passphrase. On the command line, other users of the machine would see it. */
const PASSPHRASE_VARIABLE = 'LOAN_ORDERS_KEY_PASSPHRASE';

/**
 * The passphrase of an encrypted key: from the environment, or typed on the terminal without echo.
 * @throws Refusal when there is neither.
 */
async function askPassphrase(keyPath: string): Promise<string> {
  const given = process.env[PASSPHRASE_VARIABLE];
  if (given !== undefined) return given;
  if (!process.stdin.isTTY) {
    throw new Refusal(
      `The key in ${keyPath} is encrypted: nothing was signed. Put its passphrase into the environment variable ${PASSPHRASE_VARIABLE}, or run this in a terminal.`,
    );
  }
  process.stderr.write(`Passphrase of ${keyPath}: `);
  // Discards the echo: the terminal must not show what is typed.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  try {
    return await terminal.question('');
  } catch {
    // Ctrl-C or Ctrl-D.
    throw new Refusal('No passphrase was given: nothing was signed.');
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}

/**
 * Reads the certificates of a PEM file: first the signer's, which must be valid today, then its chain.
 * @throws Refusal when there is none, one can't be read, or the signer's is expired, not yet valid, or not for signing.
 */
export async function readCertificates(path: string): Promise<[X509Certificate, ...X509Certificate[]]> {
  const text = (await readLocalFile(path)).toString('latin1');
  const [first, ...others] = certificateBlocks(text).map((block, position) => {
    try {
      return new X509Certificate(block);
    } catch {
      throw new Refusal(`Certificate number ${position + 1} in ${path} can't be read: nothing was signed.`);
    }
  });
  if (!first) throw new Refusal(`${path} has no certificate in PEM (-----BEGIN CERTIFICATE-----): nothing was signed.`);
  requireForSigning(first, path);
  return [first, ...others];
}

function requireForSigning(certificate: X509Certificate, path: string): void {
  const isForSigning = allowsKeyUse(certificateParts(certificate), 'digitalSignature', 'nonRepudiation');
  const problem = isForSigning
    ? dateProblem(certificate, new Date())
    : new InvalidSignature('CHAIN_CONSTRAINTS_FAILURE.keyUsage');
  if (problem === undefined) return;
  throw new Refusal(
    `The certificate in ${path} cannot be used: ${problem.message}. Nothing was signed. Sign with a valid one.`,
  );
}
