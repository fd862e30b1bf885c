import { Readable, Writable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type NamedDocument, named, notStaged, refusedSignatures } from '../../commands/documents.ts';
import { refusal } from '../../commands/shared/refusals.ts';
import { Refusal, some } from '../../commands/shared/text.ts';
import { openDocument } from '../../commands/sign/document-stream.ts';
import { documentsAsked, openJudge } from '../../commands/sign/judge-file.ts';
import { LARGEST_ARCHIVE } from '../../commands/sign/signature-archive.ts';
import type { Asked, ConsoleContext } from './context.ts';
import { attachment, HEADERS } from './headers.ts';

export function signingRoutes(server: FastifyInstance, desk: ConsoleContext): void {
  const { connection, buckets, signing } = desk;
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
    reply.headers({ ...attachment(found.file), 'content-length': found.size }).type('application/octet-stream');
    return reply.send(await openDocument(buckets, found));
  });
  server.get('/api/orders/:orderRef/documents.zip', async (request: Asked, reply) => {
    const { orderRef } = request.params;
    const { documents, left } = await documentsOf(request);
    if (left.length > 0) {
      const missing = `${some(left.length, 'document')} of order ${orderRef} must still be staged`;
      throw new Refusal(`${missing}. Try again when the order waits for signatures.`);
    }
    if (documents.length === 0) throw new Refusal(`Order ${orderRef} has no documents to sign in staging.`);
    const files = documents.map((document) => [document.file, document] as const);
    await sendArchive(desk, reply, `${orderRef}-documents.zip`, files);
  });
  server.get('/api/desk', () => signing.facts());
  server.get('/api/desk/documents.zip', async ({ query }: Asked, reply) => {
    const { orders } = await signing.facts();
    const unsigned = orders.flatMap(({ orderRef, documents }) =>
      documents.filter(({ hasSignature }) => !hasSignature).map(({ fileId }) => `${orderRef} ${fileId}`),
    );
    const all = await signing.documents(query.orders?.split(','));
    const documents = all.filter(({ orderRef, fileId }) => unsigned.includes(`${orderRef} ${fileId}`));
    if (documents.length === 0) throw refusal('nothingUnsigned');
    const files = documents.map((document) => [`${document.orderRef}/${document.file}`, document] as const);
    await sendArchive(desk, reply, 'documents-to-sign.zip', files);
  });
  const limits = { bodyLimit: LARGEST_ARCHIVE };
  const judged = async ({ params: { orderRef }, query, body }: Asked) => {
    const documents = await (orderRef
      ? connection.record.details(orderRef).then(documentsAsked)
      : signing.documents(query.orders?.split(',')));
    const judge = await openJudge(connection, documents, orderRef);
    const handedIn = query.handIn?.split(',') ?? [];
    const file = { name: query.name ?? '', bytes: Buffer.isBuffer(body) ? body : Buffer.alloc(0) };
    return judge(file, (position) => handedIn.includes(`${position}`));
  };
  server.post('/api/orders/:orderRef/signatures', limits, judged);
  server.post('/api/desk/signatures', limits, judged);
  server.get('/api/orders/:orderRef/signatures/refused', ({ params }: Asked) =>
    refusedSignatures(buckets, params.orderRef),
  );
}

type Files = (readonly [path: string, document: NamedDocument])[];

async function sendArchive({ buckets }: ConsoleContext, reply: FastifyReply, name: string, files: Files) {
  const { ZipWriter } = await import('@zip.js/zip.js');
  // Until here a failure can be told in words.
  for (const [, document] of files.slice(0, 1)) (await openDocument(buckets, document)).destroy();
  reply.hijack();
  reply.raw.writeHead(200, { ...HEADERS, 'content-type': 'application/zip', ...attachment(name) });
  // Most documents are already compressed.
  const zip = new ZipWriter(Writable.toWeb(reply.raw), { level: 0, useWebWorkers: false });
  try {
    for (const [path, document] of files) {
      const body = await openDocument(buckets, document);
      // A browser may disconnect early. An unread body would keep its connection to S3 open.
      await zip.add(path, Readable.toWeb(body) as ReadableStream<Uint8Array>).finally(() => body.destroy());
    }
    await zip.close();
  } catch {
    // The browser reports an incomplete download as failed.
    reply.raw.destroy();
  }
}
