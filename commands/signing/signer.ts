import { createPrivateKey, type KeyObject, sign, type X509Certificate } from 'node:crypto';
import { createDetachedSignature, type KeyType } from '../../functions/shared/cms/create-signature.ts';
import { readLocalFile } from '../local-file.ts';
import { Refusal } from '../refusal.ts';
import { readCertificates } from './certificates.ts';
import { askPassphrase } from './passphrase.ts';

/** A signer's key and certificates, the signer's own certificate first. */
export interface Signer {
  key: KeyObject;
  keyType: KeyType;
  certificates: readonly X509Certificate[];
}

/**
 * The signer of a private key and its certificate, both files in PEM.
 * @throws Refusal when one of them can't be used, or they do not belong together.
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

/** A detached CMS signature (RFC 5652, DER) over a document, of which its SHA-256 is enough. */
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
  const pem = (await readLocalFile(path)).toString('latin1');
  if (!/-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(pem)) {
    return openKey({ key: pem }, `${path} holds no private key in PEM that can be read: nothing was signed.`);
  }
  const passphrase = await askPassphrase(path);
  return openKey(
    { key: pem, passphrase },
    `The key in ${path} can't be opened: the passphrase is wrong, or the file is damaged. Nothing was signed.`,
  );
}

/** OpenSSL's own words on a key that it can't open help nobody, and its codes are not the same for the same mistake. */
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
    `The key in ${path} is ${asymmetricKeyType}: this command signs with RSA and ECDSA. Nothing was signed; --openssl prints how to sign with other tools.`,
  );
}
