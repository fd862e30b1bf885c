import { KMSClient } from '@aws-sdk/client-kms';
import { clientDefaults } from '../../core/aws/aws-client.ts';
import { readObject, writeObject } from '../../core/aws/storage.ts';
import { orderStep } from '../../core/driving/order-step.ts';
import { SigningKeyUnusable } from '../../core/errors.ts';
import { inWords, type OwnCode } from '../../core/messages/english.ts';
import { addToTimeline } from '../../core/order/timeline.ts';
import type { StagedDocument } from '../../core/order/to-sign.ts';
import { loadWaitingOrder, type WaitingOrder } from '../../core/order/waits.ts';
import { signatureKey } from '../../core/package/intake-key.ts';
import { stackSettings } from '../../core/settings.ts';
import { type KmsKey, openKmsKey } from '../../core/signing/kms-key.ts';
import { documentDigest, judgeArrived, signatureSettings, signedDocument } from '../../core/signing/signatures.ts';
import { publishPage } from '../../core/staging/pages.ts';

type SignDocumentsInput = { orderRef: string; generation: number };

const client = new KMSClient(clientDefaults);

/**
 * Signs the documents of the round with the stage's KMS key, and puts the signatures into intake, as a partner's signer
 * does. Documents that have a valid signature are skipped. KMS receives digests only.
 */
async function signDocuments({ orderRef, generation }: SignDocumentsInput): Promise<{ signed: number }> {
  const order = await loadWaitingOrder(orderRef, generation);
  await publishPage(order, 'to-sign.json');
  const judged = await judgeArrived(order);
  const round = order.rounds?.signatures?.number ?? 0;
  const unsigned = order.staged.filter((document) => document.round === round && !judged.get(document.fileId)?.passed);
  if (unsigned.length === 0) return { signed: 0 };
  const key = await openSigningKey();
  for (const document of unsigned) await signDocument(order, document, key);
  await addToTimeline(orderRef, 'Documents signed with KMS', { documents: unsigned.length });
  return { signed: unsigned.length };
}

/**
 * Opens the stage's KMS key. Each round reads its certificate chain from intake again, so a renewed certificate needs no deployment.
 * @throws SigningKeyUnusable if the key or the chain cannot be used.
 */
async function openSigningKey(): Promise<KmsKey> {
  const { signingKey: keyId, certificateChain: chain, intakeBucket: bucket } = stackSettings;
  if (keyId === undefined) throw unusable(['noKey']);
  const readChain = async () => {
    const stored = await readObject({ bucket, key: chain });
    return stored && Buffer.from(stored.bytes).toString('latin1');
  };
  return openKmsKey({ client, keyId, chain, readChain, unusable });
}

function unusable(code: OwnCode, cause?: unknown): SigningKeyUnusable {
  const howTo = 'Nothing was signed. Fix it as docs/signing.md, Signing with KMS, describes, then retry.';
  return new SigningKeyUnusable(`${inWords(...code).problem} ${howTo}`, { cause });
}

/** Signs one document. Throws if the signature fails the gate: then the key or its certificates are wrong. */
async function signDocument(order: WaitingOrder, document: StagedDocument, key: KmsKey): Promise<void> {
  const { createDetachedSignature } = await import('@business-loan-orders/detached-signatures/create-signature');
  const { checkSignature } = await import('@business-loan-orders/detached-signatures/signature-gate');
  const signingTime = new Date();
  const digest = await documentDigest(order, document, key.digestAlgorithm);
  const signature = await createDetachedSignature({ ...key, digest, signingTime });
  const { authorities } = signatureSettings();
  const gate = { level: 'strict' as const, authorities, now: signingTime };
  const verdict = await checkSignature(signature, signedDocument(order, document), gate);
  if (!verdict.passed)
    throw new SigningKeyUnusable(
      `Order ${order.orderRef}: the signature by the KMS key fails the gate. ${verdict.problem} Nothing was sent. ` +
        'Put the right certificate chain into intake (docs/signing.md, Signing with KMS), then retry.',
    );
  const target = signatureKey(order.orderRef, document.fileId);
  await writeObject(stackSettings.intakeBucket, target, signature, 'application/pkcs7-signature');
}

export const handler = orderStep(signDocuments);
