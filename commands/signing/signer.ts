import { createPrivateKey, type KeyObject, sign, type X509Certificate } from 'node:crypto';
import { createDetachedSignature, type KeyType } from '@business-loan-orders/detached-signatures/create-signature';
import { readLocalFile } from '../local-file.ts';
import { Refusal } from '../refusal.ts';
import { readCertificates } from './certificates.ts';
import { isInToken } from './openssl-lines.ts';
import { askPassphrase } from './passphrase.ts';

/** A signer's key and certificates, the signer's own certificate first. */
export interface Signer {
  key: KeyObject;
  keyType: KeyType;
  certificates: readonly X509Certificate[];
}

/**
 * Loads a signer from the PEM files of a private key and its certificate.
 * @throws Refusal when one of them can't be used, or the key does not match the certificate.
 */
export async function loadSigner(keyPath: string, certificatePath: string): Promise<Signer> {
  const certificates = await readCertificates(certificatePath);
  const key = await readKey(keyPath);
  if (!certificates[0].checkPrivateKey(key)) {
    throw new Refusal(
      `The key in ${keyPath} does not belong to the ${certificates.length > 1 ? 'first ' : ''}certificate in ${certificatePath}: nothing was signed.`,
    );
  }
  return { key, keyType: keyTypeOf(key, keyPath), certificates };
}

/** A detached CMS signature (RFC 5652, DER) over a document, made from the document's SHA-256. */
export function signDigest({ key, keyType, certificates }: Signer, digest: Uint8Array): Promise<Uint8Array> {
  return createDetachedSignature({
    digest,
    digestAlgorithm: 'sha256',
    keyType,
    signingTime: new Date(),
    certificates: certificates.map(({ raw }) => raw),
    sign: async (data) => sign('sha256', data, key),
  });
}

async function readKey(path: string): Promise<KeyObject> {
  if (isInToken(path)) {
    throw new Refusal(
      `This command does not sign with a key in a token itself: nothing was signed. Name one order, add --openssl, and run the commands that it prints.`,
    );
  }
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
    `The key in ${path} is ${asymmetricKeyType}, but this command signs with RSA or ECDSA only: nothing was signed. For one order, --openssl prints how to sign with other tools.`,
  );
}
