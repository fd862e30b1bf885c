import type { EvidenceSource } from '../stage/evidence-source.ts';
import type { OrderDetails } from '../stage/record.ts';
import { certificatesOf, checkDetached, LARGEST_SIGNATURE, oneLine } from './detached-signature.ts';
import { digestOfStream } from './digests.ts';
import type { SentSignature } from './index-page.ts';
import { namedDocuments, type PlannedFile } from './plan-files.ts';

/** Checks a signature that was sent against the document that it signs, as of the time when it was sent. */
export async function judgeSent(
  source: EvidenceSource,
  { toSign }: OrderDetails,
  { path, file, signs }: PlannedFile,
): Promise<SentSignature> {
  const { document: documentPath = '', sentAt = '' } = signs ?? {};
  const document = namedDocuments(toSign).find((one) => one.path === documentPath);
  if (!document) throw new Error(`${path} signs a document that is not staged.`);
  const opened = () => source.open({ bucket: 'staging', key: document.key, versionId: document.versionId });
  const bytes = file.size <= LARGEST_SIGNATURE ? await contentOf(await source.open(file)) : new Uint8Array();
  const verdict = await checkDetached(
    bytes,
    {
      digest: async (algorithm) =>
        document[algorithm] === undefined
          ? digestOfStream(await opened(), algorithm)
          : Buffer.from(document[algorithm], 'hex'),
      open: opened,
    },
    new Date(sentAt),
  );
  const [certificate] = certificatesOf(bytes);
  return {
    path,
    document: documentPath,
    sentAt,
    verdict,
    signer: oneLine(certificate?.subject ?? 'unknown'),
    issuer: oneLine(certificate?.issuer ?? 'unknown'),
    fingerprint: certificate?.fingerprint256 ?? '-',
  };
}

async function contentOf(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
