import { createPublicKey, type X509Certificate } from 'node:crypto';
import {
  GetPublicKeyCommand,
  type GetPublicKeyCommandOutput,
  KMSClient,
  SignCommand,
  type SigningAlgorithmSpec,
} from '@aws-sdk/client-kms';
import { isThrottlingError, isTransientError } from '@smithy/core/retry';
import { clientDefaults } from '../shared/aws/aws-client.ts';
import { readObject } from '../shared/aws/storage.ts';
import { readCertificates } from '../shared/cms/certificate-path.ts';
import type { DigestAlgorithm, KeyType } from '../shared/cms/create-signature.ts';
import { environment, optionalEnvironment } from '../shared/environment.ts';
import { SigningKeyUnusable } from '../shared/errors.ts';

/** A KMS key, with the properties that a CMS signature names. */
export interface SigningKey {
  keyType: KeyType;
  digestAlgorithm: DigestAlgorithm;
  /** The key's own certificate comes first. */
  certificates: X509Certificate[];
  /** Has KMS hash and sign at most 4096 bytes. */
  sign(data: Uint8Array): Promise<Uint8Array>;
}

type Algorithm = Pick<SigningKey, 'keyType' | 'digestAlgorithm'> & { name: SigningAlgorithmSpec };

const rsa: Algorithm = { name: 'RSASSA_PKCS1_V1_5_SHA_256', keyType: 'rsa', digestAlgorithm: 'sha256' };

/** The algorithm of each kind of key. KMS prescribes the digest for each curve. */
const algorithms: Record<string, Algorithm> = {
  RSA_2048: rsa,
  RSA_3072: rsa,
  RSA_4096: rsa,
  ECC_NIST_P256: { name: 'ECDSA_SHA_256', keyType: 'ecdsa', digestAlgorithm: 'sha256' },
  ECC_NIST_P384: { name: 'ECDSA_SHA_384', keyType: 'ecdsa', digestAlgorithm: 'sha384' },
};

const HOW_TO = 'Nothing was signed. Fix it as docs/signing.md, Signing with KMS, describes, then retry.';

const client = new KMSClient(clientDefaults);

/**
 * Opens the stage's KMS key and reads its certificate chain from intake. Each round reads both again, so a renewed certificate
 * needs no deployment.
 * @throws SigningKeyUnusable if the key or the chain cannot be used.
 */
export async function openSigningKey(): Promise<SigningKey> {
  const keyId = optionalEnvironment('SIGNING_KEY');
  if (keyId === undefined) throw new SigningKeyUnusable(`This stage has no KMS key to sign with. ${HOW_TO}`);
  const answer = await askKms(() => client.send(new GetPublicKeyCommand({ KeyId: keyId })));
  const { publicKey, algorithm } = readPublicKey(answer);
  const { name, ...kind } = algorithm;
  const sign = async (Message: Uint8Array) => {
    const command = new SignCommand({ KeyId: keyId, Message, MessageType: 'RAW', SigningAlgorithm: name });
    const { Signature } = await askKms(() => client.send(command));
    if (!Signature) throw new SigningKeyUnusable(`KMS answered without a signature. ${HOW_TO}`);
    return Signature;
  };
  return { ...kind, certificates: await certificateChain(publicKey), sign };
}

/**
 * Takes the public key and its algorithm from the answer of KMS.
 * @throws SigningKeyUnusable if one is missing, or the key cannot sign documents.
 */
export function readPublicKey({
  PublicKey: publicKey,
  KeySpec: kind,
}: Pick<GetPublicKeyCommandOutput, 'PublicKey' | 'KeySpec'>): { publicKey: Uint8Array; algorithm: Algorithm } {
  if (!publicKey || kind === undefined) {
    const missing = publicKey ? 'the type of the key (KeySpec)' : 'the public key';
    throw new SigningKeyUnusable(`KMS answered without ${missing}. ${HOW_TO}`);
  }
  const algorithm = algorithms[kind];
  if (algorithm) return { publicKey, algorithm };
  throw new SigningKeyUnusable(`The KMS key has the type ${kind}, which cannot sign documents. ${HOW_TO}`);
}

/** @throws SigningKeyUnusable if KMS refuses the call. Transient faults are thrown as they are, and the step is retried. */
async function askKms<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    const fault = error as Parameters<typeof isThrottlingError>[0];
    if (fault.$fault !== 'client' || isThrottlingError(fault) || isTransientError(fault)) throw error;
    throw new SigningKeyUnusable(`KMS refuses to use the key (${fault.name}). ${HOW_TO}`, { cause: error });
  }
}

async function certificateChain(publicKey: Uint8Array): Promise<X509Certificate[]> {
  const key = environment('CERTIFICATE_CHAIN');
  const stored = await readObject({ bucket: environment('INTAKE_BUCKET'), key });
  if (!stored) throw new SigningKeyUnusable(`There is no certificate chain in intake: ${key}. ${HOW_TO}`);
  const certificates = parse(Buffer.from(stored.bytes).toString('latin1'), key);
  const ofKey = createPublicKey({ key: Buffer.from(publicKey), format: 'der', type: 'spki' });
  const own = certificates.find((certificate) => certificate.publicKey.equals(ofKey));
  if (own) return [own, ...certificates.filter((certificate) => certificate !== own)];
  throw new SigningKeyUnusable(`The certificate chain ${key} in intake has no certificate for the KMS key. ${HOW_TO}`);
}

function parse(pem: string, key: string): X509Certificate[] {
  try {
    return readCertificates(pem);
  } catch (error) {
    throw new SigningKeyUnusable(`${key} in intake cannot be read as PEM certificates. ${HOW_TO}`, { cause: error });
  }
}
