import { createHash } from 'node:crypto';
import { KMSClient } from '@aws-sdk/client-kms';
import { createDetachedSignature } from '@business-loan-orders/detached-signatures/create-signature';
import { openKmsKey } from '../../core/signing/kms-key.ts';
import { isAccessDenied } from '../failure.ts';
import { Refusal } from '../refusal.ts';
import type { Connection } from '../stage/connection.ts';
import { clientSettings, type PlaceOptions } from '../stage/place.ts';
import { signedBytes } from './manifest.ts';

const CHAIN = 'signing/evidence-certificate-chain.pem';
const LARGEST_CHAIN = 1024 * 1024;

const unusable = (problem: string) =>
  new Refusal(`${problem} No archive was written. Fix it (docs/evidence.md, "Who may sign"), or give --unsigned.`);

/**
 * What signs a manifest, in detached CMS, with the stage's key for evidence; undefined if the stage has none.
 * @throws Refusal when the stage has a key that cannot be used.
 */
export async function manifestSigner(place: PlaceOptions, { outputs, buckets }: Connection) {
  const keyId = outputs('EvidenceKey', '');
  if (keyId === '') return undefined;
  const key = await openKmsKey({
    client: new KMSClient(clientSettings(place)),
    keyId,
    chain: CHAIN,
    readChain: async () => (await (await buckets()).intakeFile(CHAIN, LARGEST_CHAIN))?.text,
    unusable,
  }).catch((error: Error) => {
    // Only the person `legal` may use the key. Whoever may not can write an archive without a signature.
    throw isAccessDenied(error) ? unusable("These credentials may not use the stage's key for evidence.") : error;
  });
  return async (manifest: string): Promise<Uint8Array> => {
    const digest = createHash(key.digestAlgorithm)
      .update(signedBytes(Buffer.from(manifest)))
      .digest();
    return createDetachedSignature({ ...key, digest, signingTime: new Date() });
  };
}
