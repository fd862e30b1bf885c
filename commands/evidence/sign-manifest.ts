import { createHash, type X509Certificate } from 'node:crypto';
import { GetPublicKeyCommand, SignCommand } from '@aws-sdk/client-kms';
import { readCertificates } from '@business-loan-orders/detached-signatures/certificate-path';
import { createDetachedSignature } from '@business-loan-orders/detached-signatures/create-signature';
import { kmsAlgorithms, ownFirst } from '../../core/signing/kms-algorithm.ts';
import { isAccessDenied } from '../failure.ts';
import { Refusal } from '../refusal.ts';
import type { EvidenceSource } from '../stage/evidence-source.ts';
import { signedBytes } from './manifest.ts';

const refusal = (why: string) =>
  new Refusal(`${why} No archive was written. Fix it (docs/evidence.md, "Who may sign"), or give --unsigned.`);

/**
 * What signs a manifest, in detached CMS, with the stage's key for evidence; undefined if the stage has none.
 * @throws Refusal when the stage has a key that cannot be used.
 */
export async function manifestSigner({ evidenceKey, certificateChain }: EvidenceSource) {
  if (!evidenceKey) return undefined;
  const { client, keyId: KeyId } = evidenceKey;
  const { PublicKey, KeySpec = '' } = await asked(() => client.send(new GetPublicKeyCommand({ KeyId })));
  const algorithm = kmsAlgorithms[KeySpec];
  if (!PublicKey || !algorithm) throw refusal(`The stage's key for evidence (${KeySpec}) cannot sign manifests.`);
  const certificates = chainFor(PublicKey, await certificateChain());
  const { name: SigningAlgorithm, keyType, digestAlgorithm } = algorithm;
  const sign = async (Message: Uint8Array) => {
    const command = new SignCommand({ KeyId, Message, MessageType: 'RAW', SigningAlgorithm });
    const { Signature } = await asked(() => client.send(command));
    if (!Signature) throw refusal('KMS answered without a signature.');
    return Signature;
  };
  return async (manifest: string): Promise<Uint8Array> => {
    const digest = createHash(digestAlgorithm)
      .update(signedBytes(Buffer.from(manifest)))
      .digest();
    const signingTime = new Date();
    return createDetachedSignature({ digest, digestAlgorithm, keyType, certificates, sign, signingTime });
  };
}

function chainFor(publicKey: Uint8Array, pem: string | undefined): Uint8Array[] {
  if (pem === undefined) throw refusal('The stage has a key for evidence, but no certificate chain for it in intake.');
  let chain: X509Certificate[] | undefined;
  try {
    chain = ownFirst(readCertificates(pem), publicKey);
  } catch {
    throw refusal('The certificate chain in intake cannot be read as PEM certificates.');
  }
  if (!chain) throw refusal("The certificate chain in intake has no certificate for the stage's key for evidence.");
  return chain.map(({ raw }) => raw);
}

/** Only the person `legal` may use the key. Whoever may not can write an archive without a signature. */
async function asked<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (!isAccessDenied(error as Error)) throw error;
    throw refusal("These credentials may not use the stage's key for evidence.");
  }
}
