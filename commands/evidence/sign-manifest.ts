import type { X509Certificate } from 'node:crypto';
import { createHash } from 'node:crypto';
import { GetPublicKeyCommand, SignCommand } from '@aws-sdk/client-kms';
import { type KmsAlgorithm, kmsAlgorithms, ownFirst } from '../../core/signing/kms-algorithm.ts';
import { readCertificates } from '../../packages/detached-signatures/certificate-path.ts';
import { createDetachedSignature } from '../../packages/detached-signatures/create-signature.ts';
import { isAccessDenied } from '../failure.ts';
import { Refusal } from '../refusal.ts';
import type { EvidenceSource } from '../stage/evidence-source.ts';
import { signedBytes } from './manifest.ts';

/** Signs a manifest, in detached CMS. */
export type SignManifest = (manifest: string) => Promise<Uint8Array>;

const HOW_TO = 'No archive was written. Fix it (docs/evidence.md, "Who may sign"), or give --unsigned.';

/**
 * What signs with the stage's key for evidence; undefined if the stage has none.
 * @throws Refusal when the stage has a key that cannot be used.
 */
export async function manifestSigner(source: EvidenceSource): Promise<SignManifest | undefined> {
  if (!source.evidenceKey) return undefined;
  const { client, keyId } = source.evidenceKey;
  const { PublicKey, KeySpec = '' } = await asked(() => client.send(new GetPublicKeyCommand({ KeyId: keyId })));
  const algorithm = kmsAlgorithms[KeySpec];
  if (!PublicKey || !algorithm)
    throw new Refusal(`The stage's key for evidence (${KeySpec}) cannot sign manifests. ${HOW_TO}`);
  const certificates = await chainOf(source, PublicKey);
  const sign = async (Message: Uint8Array) => {
    const command = new SignCommand({
      KeyId: keyId,
      Message,
      MessageType: 'RAW',
      SigningAlgorithm: algorithm.name,
    });
    const { Signature } = await asked(() => client.send(command));
    if (!Signature) throw new Refusal(`KMS answered without a signature. ${HOW_TO}`);
    return Signature;
  };
  return (manifest) => signed(manifest, { algorithm, certificates, sign });
}

async function signed(
  manifest: string,
  key: {
    algorithm: KmsAlgorithm;
    certificates: X509Certificate[];
    sign: (data: Uint8Array) => Promise<Uint8Array>;
  },
): Promise<Uint8Array> {
  const { keyType, digestAlgorithm } = key.algorithm;
  return createDetachedSignature({
    digest: createHash(digestAlgorithm)
      .update(signedBytes(Buffer.from(manifest)))
      .digest(),
    digestAlgorithm,
    keyType,
    certificates: key.certificates.map(({ raw }) => raw),
    sign: key.sign,
    signingTime: new Date(),
  });
}

async function chainOf({ certificateChain }: EvidenceSource, publicKey: Uint8Array): Promise<X509Certificate[]> {
  const pem = await certificateChain();
  if (pem === undefined) {
    throw new Refusal(`The stage has a key for evidence, but no certificate chain for it in intake. ${HOW_TO}`);
  }
  const certificates = readable(pem);
  const chain = certificates && ownFirst(certificates, publicKey);
  if (chain) return chain;
  throw new Refusal(
    certificates
      ? `The certificate chain in intake has no certificate for the stage's key for evidence. ${HOW_TO}`
      : `The certificate chain in intake cannot be read as PEM certificates. ${HOW_TO}`,
  );
}

function readable(pem: string): X509Certificate[] | undefined {
  try {
    return readCertificates(pem);
  } catch {
    return undefined;
  }
}

/** Only the person `legal` may use the key. Whoever may not can write an archive without a signature. */
async function asked<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (!isAccessDenied(error as Error)) throw error;
    throw new Refusal(`These credentials may not use the stage's key for evidence. ${HOW_TO}`);
  }
}
