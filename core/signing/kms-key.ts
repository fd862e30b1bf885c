import { createPublicKey, type X509Certificate } from 'node:crypto';
import { GetPublicKeyCommand, type KMSClient, SignCommand } from '@aws-sdk/client-kms';
import { readCertificates } from '@business-loan-orders/detached-signatures/certificate-path';
import type { DetachedSignatureRequest } from '@business-loan-orders/detached-signatures/create-signature';
import { isThrottlingError, isTransientError } from '@smithy/core/retry';
import type { OwnCode } from '../messages/english.ts';

/** A KMS key, with the properties that a CMS signature names. Its own certificate comes first. */
export type KmsKey = Omit<DetachedSignatureRequest, 'digest' | 'signingTime'>;

/** A KMS key and where its certificates are. */
export interface KmsKeyPlace {
  client: KMSClient;
  keyId: string;
  chain: string;
  /** The chain as PEM; undefined if there is none. */
  readChain(): Promise<string | undefined>;
  /** The error for a key or a chain that cannot be used. */
  unusable(problem: OwnCode, cause?: unknown): Error;
}

type KmsAlgorithm = Pick<KmsKey, 'keyType' | 'digestAlgorithm'> & {
  /** The `SigningAlgorithm` of KMS. */
  name: 'RSASSA_PKCS1_V1_5_SHA_256' | 'ECDSA_SHA_256' | 'ECDSA_SHA_384';
};

const rsa: KmsAlgorithm = { name: 'RSASSA_PKCS1_V1_5_SHA_256', keyType: 'rsa', digestAlgorithm: 'sha256' };

/** The algorithm of each kind of key (`KeySpec`). KMS prescribes the digest for each curve. */
const algorithms: Record<string, KmsAlgorithm> = {
  RSA_2048: rsa,
  RSA_3072: rsa,
  RSA_4096: rsa,
  ECC_NIST_P256: { name: 'ECDSA_SHA_256', keyType: 'ecdsa', digestAlgorithm: 'sha256' },
  ECC_NIST_P384: { name: 'ECDSA_SHA_384', keyType: 'ecdsa', digestAlgorithm: 'sha384' },
};

type Unusable = KmsKeyPlace['unusable'];

/**
 * Opens a KMS key and reads its certificate chain.
 * @throws what `unusable` makes of it if the key or the chain cannot be used.
 */
export async function openKmsKey({ client, keyId, chain, readChain, unusable }: KmsKeyPlace): Promise<KmsKey> {
  const answer = await askKms(() => client.send(new GetPublicKeyCommand({ KeyId: keyId })), unusable);
  const { PublicKey: publicKey = new Uint8Array(), KeySpec: keySpec = '' } = answer;
  const algorithm = algorithms[keySpec];
  if (!algorithm) throw unusable(['kmsKeyType', { type: keySpec }]);
  const { name, ...kind } = algorithm;
  const sign = async (Message: Uint8Array) => {
    const command = new SignCommand({ KeyId: keyId, Message, MessageType: 'RAW', SigningAlgorithm: name });
    const { Signature } = await askKms(() => client.send(command), unusable);
    if (!Signature) throw unusable(['kmsSilent']);
    return Signature;
  };
  const pem = await readChain();
  if (pem === undefined) throw unusable(['noChain', { chain }]);
  const certificates = ownFirst(parse(pem, chain, unusable), publicKey);
  if (!certificates) throw unusable(['chainOfOther', { chain }]);
  return { ...kind, certificates: certificates.map(({ raw }) => raw), sign };
}

/** A refusal of KMS means that the key cannot be used. Transient faults are thrown as they are. */
async function askKms<Answer>(ask: () => Promise<Answer>, unusable: Unusable): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    const fault = error as Parameters<typeof isThrottlingError>[0];
    if (fault.$fault !== 'client' || isThrottlingError(fault) || isTransientError(fault)) throw error;
    throw unusable(['kmsRefuses', { name: fault.name }], error);
  }
}

function parse(pem: string, chain: string, unusable: Unusable): X509Certificate[] {
  try {
    return readCertificates(pem);
  } catch (error) {
    throw unusable(['chainUnreadable', { chain }], error);
  }
}

/** The certificates with the key's own first; undefined if none of them is for the key. `publicKey` is SubjectPublicKeyInfo in DER. */
function ownFirst(certificates: X509Certificate[], publicKey: Uint8Array): X509Certificate[] | undefined {
  const ofKey = createPublicKey({ key: Buffer.from(publicKey), format: 'der', type: 'spki' });
  const own = certificates.find((certificate) => certificate.publicKey.equals(ofKey));
  return own && [own, ...certificates.filter((certificate) => certificate !== own)];
}
