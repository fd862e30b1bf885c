import { createHash } from 'node:crypto';
import { type Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ToSign } from '../../core/order/to-sign.ts';
import { BEGINS_AS_EVIDENCE, evidenceWatch } from '../../core/signing/digesting-stream.ts';
import type { StatusPage } from '../../core/staging/pages.ts';
import type { Buckets } from '../shared/buckets.ts';
import { refusal } from '../shared/refusals.ts';
import { Refusal } from '../shared/text.ts';

/** A document of `to-sign.json`; `signature` is the S3 address for its signature. */
export type DocumentToSign = ToSign & { signature: string };

/** `to-sign.json`. */
export interface ToSignPage {
  orderRef: string;
  round: number;
  documents: DocumentToSign[];
}

/** The documents that must be signed now. Throws a Refusal when there are none. */
export async function readToSignPage(buckets: Buckets, orderRef: string): Promise<ToSignPage> {
  const status = await buckets.staged<StatusPage>(orderRef, 'status.json');
  if (!status) {
    throw new Refusal(
      `There is no order ${orderRef} in staging: there is nothing to sign. Check the orderRef and the stage.`,
    );
  }
  if (status.status !== 'WAITING_FOR_SIGNATURE') throw refusal('nothingToSign', { orderRef, status: status.status });
  const page = await buckets.staged<ToSignPage>(orderRef, 'to-sign.json');
  // While the order waits for the service, its documents are still being staged: the page may be from an earlier round.
  if (status.waitingFor !== 'service' && page) return page;
  throw refusal('stillStaged', { orderRef });
}

export function signatureKeyOf({ signature }: DocumentToSign, buckets: Buckets): string {
  const address = `s3://${buckets.intake}/`;
  if (signature.startsWith(address)) return signature.slice(address.length);
  throw new Refusal(
    `to-sign.json puts a signature at ${signature}, which is not in the intake bucket of this stage: nothing was uploaded. Check --stage.`,
  );
}

/**
 * Makes a detached CMS signature (RFC 5652, DER) over one document.
 * @param read reads the document, compares it, copies it if asked, and returns its SHA-256.
 */
export type Signer = (
  read: (copy?: Writable) => Promise<Uint8Array>,
  one: { document: DocumentToSign; page: ToSignPage },
) => Promise<Uint8Array>;

/** The content type of a signature in intake. */
export const SIGNATURE_TYPE = 'application/pkcs7-signature';

/** A signature that was made, and its key in intake. */
export interface MadeSignature {
  document: DocumentToSign;
  key: string;
  signature: Uint8Array;
}

/** Signs all documents of the page. They are streamed, and stored only for a program. Nothing is uploaded. */
export async function signOrder(buckets: Buckets, page: ToSignPage, signer: Signer): Promise<MadeSignature[]> {
  const signatures: MadeSignature[] = [];
  for (const document of page.documents) {
    const key = signatureKeyOf(document, buckets);
    const read = (copy?: Writable) => digestOf(document, page, buckets, copy);
    signatures.push({ document, key, signature: await signer(read, { document, page }) });
  }
  return signatures;
}

/**
 * Reads a document and compares it.
 * @param copy gets its bytes.
 * @returns its SHA-256.
 * @throws Refusal when the staged document does not match the page, or begins as evidence does.
 */
async function digestOf(
  { key, versionId, fileId, sha256 }: DocumentToSign,
  { orderRef }: ToSignPage,
  buckets: Buckets,
  copy?: Writable,
): Promise<Uint8Array> {
  const body = await buckets.openStaged(key, versionId);
  if (!body) {
    throw new Refusal(
      `The version of document ${fileId} of order ${orderRef} that to-sign.json names is gone from staging: nothing was uploaded.`,
    );
  }
  const { digest, isEvidence } = await digestStream(body, copy);
  if (isEvidence) {
    throw new Refusal(
      `Document ${fileId} of order ${orderRef} ${BEGINS_AS_EVIDENCE}: nothing was uploaded. Do not sign it; ask the order service what it is.`,
    );
  }
  if (digest.toString('hex') === sha256) return digest;
  throw new Refusal(
    `Document ${fileId} of order ${orderRef} does not have the SHA-256 that to-sign.json gives: nothing was uploaded. Do not sign it; ask who changed it.`,
  );
}

/** The SHA-256 of a document of any length, and whether it begins as evidence does. */
export async function digestStream(
  stream: Readable,
  copy = new Writable({ write: (_chunk, _encoding, done) => done() }),
): Promise<{ digest: Buffer; isEvidence: boolean }> {
  const hash = createHash('sha256');
  const watch = evidenceWatch();
  let isEvidence = false;
  await pipeline(
    stream,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        isEvidence = watch(chunk);
        yield chunk;
      }
    },
    copy,
  );
  return { digest: hash.digest(), isEvidence };
}
