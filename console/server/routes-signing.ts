import { Readable, Writable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { type NamedDocument, named, notStaged, refusedSignatures } from '../../commands/documents.ts';
import { Refusal, some } from '../../commands/shared/text.ts';
import { openDocument } from '../../commands/sign/document-stream.ts';
import { openJudge } from '../../commands/sign/judge-file.ts';
import { LARGEST_ARCHIVE } from '../../commands/sign/signature-archive.ts';
import type { Asked, ConsoleContext } from './context.ts';
import { attachment, HEADERS } from './headers.ts';

export function signingRoutes(server: FastifyInstance, desk: ConsoleContext): void {
  const { connection, buckets } = desk;
  const documentsOf = async ({ params, query }: Asked) => {
    const details = await connection.record.details(params.orderRef);
    const isWanted = ({ round }: NamedDocument) => query.round === undefined || round === Number(query.round);
    return { documents: named(details).filter(isWanted), left: notStaged(details) };
  };
  const asItIs = async (_request: unknown, body: Buffer) => body;
  server.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, asItIs);
  server.get('/api/orders/:orderRef/documents/:fileId', async (request: Asked, reply) => {
    const { params } = request;
    const { documents } = await documentsOf(request);
    const found = documents.findLast(({ fileId }) => fileId === params.fileId);
    if (!found) throw new Refusal(`Order ${params.orderRef} has no such document in staging.`);
    // Never with a type that a browser displays: documents are untrusted, and the page displays them only after a complete check.
    const headers = { ...attachment(found.file), 'content-length': found.size };
    return reply
      .headers(headers)
      .type('application/octet-stream')
      .send(await openDocument(buckets, found));
  });
  server.get('/api/orders/:orderRef/documents.zip', async (request: Asked, reply) => {
    const { orderRef } = request.params;
    const { documents, left } = await documentsOf(request);
    if (left.length > 0) {
      const missing = `${some(left.length, 'document')} of order ${orderRef} must still be staged`;
      throw new Refusal(`${missing}. Try again when the order waits for signatures.`);
    }
    if (documents.length === 0) throw new Refusal(`Order ${orderRef} has no documents to sign in staging.`);
    reply.hijack();
    const headers = { ...HEADERS, 'content-type': 'application/zip', ...attachment(`${orderRef}-documents.zip`) };
    reply.raw.writeHead(200, headers);
    // The browser reports an incomplete download as failed.
    await archive(desk, documents, reply.raw).catch(() => reply.raw.destroy());
  });
  const limits = { bodyLimit: LARGEST_ARCHIVE };
  server.post('/api/orders/:orderRef/signatures', limits, async ({ params, query, body }: Asked) => {
    const judge = await openJudge(connection, params.orderRef, query.handIn === 'yes');
    return judge({ name: query.name ?? '', bytes: Buffer.isBuffer(body) ? body : Buffer.alloc(0) });
  });
  server.get('/api/orders/:orderRef/signatures/refused', ({ params }: Asked) =>
    refusedSignatures(buckets, params.orderRef),
  );
}

async function archive({ buckets }: ConsoleContext, documents: NamedDocument[], target: Writable): Promise<void> {
  const { configure, ZipWriter } = await import('@zip.js/zip.js');
  configure({ useWebWorkers: false });
  // Most documents are already compressed.
  const zip = new ZipWriter(Writable.toWeb(target), { level: 0 });
  for (const document of documents) {
    const body = await openDocument(buckets, document);
    // A browser may disconnect early. An unread body would keep its connection to S3 open.
    try {
      await zip.add(document.file, Readable.toWeb(body) as ReadableStream<Uint8Array>);
    } finally {
      body.destroy();
    }
  }
  await zip.close();
}
