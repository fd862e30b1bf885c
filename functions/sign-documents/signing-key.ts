import type { X509Certificate } from 'node:crypto';
import { GetPublicKeyCommand, type GetPublicKeyCommandOutput, KMSClient, SignCommand } from '@aws-sdk/client-kms';
import { readCertificates } from '@business-loan-orders/detached-signatures/certificate-path';
import type { DigestAlgorithm, KeyType } from '@business-loan-orders/detached-signatures/create-signature';
import { isThrottlingError, isTransientError } from '@smithy/core/retry';
import { clientDefaults } from '../../core/aws/aws-client.ts';
import { readObject } from '../../core/aws/storage.ts';
import { SigningKeyUnusable } from '../../core/errors.ts';
import { stackSettings } from '../../core/settings.ts';
import { type KmsAlgorithm, kmsAlgorithms, ownFirst } from '../../core/signing/kms-algorithm.ts';

/** A KMS key, with the properties that a CMS signature names. */
export interface SigningKey {
  keyType: KeyType;
  digestAlgorithm: DigestAlgorithm;
  /** The key's own certificate comes first. */
  certificates: X509Certificate[];
  /** Has KMS hash and sign at most 4096 bytes. */
  sign(data: Uint8Array): Promise<Uint8Array>;
}

const HOW_TO = 'Nothing was signed. Fix it as docs/signing.md, Signing with KMS, describes, then retry.';

const client = new KMSClient(clientDefaults);

/**
 * Opens the stage's KMS key and reads its certificate chain from intake. Each round reads both again, so a renewed certificate
 * needs no deployment.
 * @throws SigningKeyUnusable if the key or the chain cannot be used.
 */
export async function openSigningKey(): Promise<SigningKey> {
  const keyId = stackSettings.signingKey;
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

/** @throws SigningKeyUnusable if the answer of KMS is incomplete, or the key cannot sign documents. */
export function readPublicKey({
  PublicKey: publicKey,
  KeySpec: kind,
}: Pick<GetPublicKeyCommandOutput, 'PublicKey' | 'KeySpec'>): { publicKey: Uint8Array; algorithm: KmsAlgorithm } {
  if (!publicKey || kind === undefined) {
    const missing = publicKey ? 'the type of the key (KeySpec)' : 'the public key';
    throw new SigningKeyUnusable(`KMS answered without ${missing}. ${HOW_TO}`);
  }
  const algorithm = kmsAlgorithms[kind];
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
  const key = stackSettings.certificateChain;
  const stored = await readObject({ bucket: stackSettings.intakeBucket, key });
  if (!stored) throw new SigningKeyUnusable(`There is no certificate chain in intake: ${key}. ${HOW_TO}`);
  const chain = ownFirst(parse(Buffer.from(stored.bytes).toString('latin1'), key), publicKey);
  if (chain) return chain;
  throw new SigningKeyUnusable(`The certificate chain ${key} in intake has no certificate for the KMS key. ${HOW_TO}`);
}

function parse(pem: string, key: string): X509Certificate[] {
  try {
    return readCertificates(pem);
  } catch (error) {
    throw new SigningKeyUnusable(`${key} in intake cannot be read as PEM certificates. ${HOW_TO}`, { cause: error });
  }
}
