import type { Answer } from './refusal.ts';
import { opensslLines } from './signing/openssl-lines.ts';
import { SIGNATURE_TYPE, signOrder } from './signing/sign-order.ts';
import { loadSigner } from './signing/signer.ts';
import { readToSignPage, type ToSignPage } from './signing/to-sign-page.ts';
import { openBuckets } from './stage/buckets.ts';
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
  const signatures = await signOrder(buckets, page, signer);
  for (const { key, signature } of signatures) await buckets.putIntake(key, signature, SIGNATURE_TYPE);
  return answer(page);
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
