import { readCertificates } from './signing/certificates.ts';
import { digestFor, opensslLines } from './signing/openssl-lines.ts';
import { SIGNATURE_TYPE, signOrder } from './signing/sign-order.ts';
import { keySigner, type Signer } from './signing/signer.ts';
import { readToSignPage, type ToSignPage } from './signing/to-sign-page.ts';
import { openBuckets } from './stage/buckets.ts';
import type { PlaceOptions } from './stage/place.ts';
import { type Answer, columns } from './text.ts';

/** Who signs: a key with its certificate (paths of PEM files; the chain may follow the certificate), or a program. */
export type SignOptions = { key: string; cert: string; openssl?: true } | { with: string };

export async function signerOf(options: SignOptions): Promise<Signer> {
  if (!('with' in options)) return keySigner(options.key, options.cert);
  return (await import('./signing/program-signer.ts')).programSigner(options.with);
}

/**
 * `sign <orderRef>`: signs the staged documents on this machine and uploads the signatures to intake. Documents are streamed,
 * and stored only while a program signs them. Nothing is uploaded until all of them are signed.
 */
export async function sign(place: PlaceOptions, orderRef: string, options: SignOptions): Promise<Answer> {
  const buckets = await openBuckets(place);
  const page = await readToSignPage(buckets, orderRef);
  if ('openssl' in options) {
    const digest = digestFor((await readCertificates(options.cert))[0]);
    const lines = opensslLines(place, page, buckets.staging, { ...options, digest });
    return { lines, json: { orderRef, lines } };
  }
  const signer = await signerOf(options);
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
