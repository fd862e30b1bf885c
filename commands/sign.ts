import { type Answer, Refusal } from './refusal.ts';
import { digestStream } from './signing/digest-stream.ts';
import { opensslLines } from './signing/openssl-lines.ts';
import { loadSigner, signDigest } from './signing/signer.ts';
import { type DocumentToSign, readToSignPage, signatureKeyOf, type ToSignPage } from './signing/to-sign-page.ts';
import { type Buckets, openBuckets } from './stage/buckets.ts';
import type { PlaceOptions } from './stage/place.ts';
import { columns } from './text.ts';

export interface SignOptions {
  /** Paths of PEM files. The chain may follow the certificate in its file. */
  key: string;
  cert: string;
  openssl?: true;
}

/**
 * `sign <orderRef>`: signs the staged documents on this machine and uploads the signatures to intake. Documents are streamed
 * and never stored. Nothing is uploaded until all of them are signed.
 */
export async function sign(place: PlaceOptions, orderRef: string, options: SignOptions): Promise<Answer> {
  const buckets = await openBuckets(place);
  const page = await readToSignPage(buckets, orderRef);
  if (options.openssl) {
    const lines = opensslLines(place, page, buckets.staging, options);
    return { lines, json: { orderRef, lines } };
  }
  const signer = await loadSigner(options.key, options.cert);
  const signatures: { document: DocumentToSign; key: string; signature: Uint8Array }[] = [];
  for (const document of page.documents) {
    const key = signatureKeyOf(document, buckets);
    const digest = await digestOf(document, page, buckets);
    signatures.push({ document, key, signature: await signDigest(signer, digest) });
  }
  for (const { key, signature } of signatures) await buckets.putIntake(key, signature, 'application/pkcs7-signature');
  return answer(page);
}

/** @throws Refusal when the staged document does not match the page. */
async function digestOf(
  { key, versionId, fileId, sha256 }: DocumentToSign,
  { orderRef }: ToSignPage,
  buckets: Buckets,
): Promise<Uint8Array> {
  const body = await buckets.openStaged(key, versionId);
  if (!body) {
    throw new Refusal(
      `The version of document ${fileId} of order ${orderRef} that to-sign.json names is gone from staging: nothing was uploaded.`,
    );
  }
  const digest = await digestStream(body);
  if (digest.toString('hex') === sha256) return digest;
  throw new Refusal(
    `Document ${fileId} of order ${orderRef} does not have the SHA-256 that to-sign.json gives: nothing was uploaded. Do not sign it; ask who changed it.`,
  );
}

function answer({ orderRef, round, documents }: ToSignPage): Answer {
  const count = `${documents.length} document${documents.length === 1 ? '' : 's'}`;
  return {
    lines: [
      `Signed ${count} of order ${orderRef}; the signatures are in intake:`,
      ...columns(documents.map(({ fileId, signature }) => [fileId, signature])).map((line) => `  ${line}`),
    ],
    json: {
      orderRef,
      round,
      signatures: documents.map(({ fileId, sha256, signature }) => ({ fileId, sha256, signature })),
    },
  };
}
