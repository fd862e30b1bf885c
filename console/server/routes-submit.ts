import type { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { readPackage } from '../../commands/shared/local-package.ts';
import { packagesOf } from '../../commands/shared/stack-outputs.ts';
import { Refusal } from '../../commands/shared/text.ts';
import type { ProgressOf } from '../../commands/submit/package.ts';
import { submit } from '../../commands/submit.ts';
import type { Problem } from '../../core/json/json-problems.ts';
import { PACKAGE_BYTES } from '../../core/package/whole-package.ts';
import type { PackageCheck, SubmitMessage } from '../api.ts';
import type { Asked, ConsoleContext } from './context.ts';
import { Drafts } from './drafts.ts';
import { HEADERS } from './headers.ts';

const named = z.strictObject({ orderRef: z.string() });

/** Submits packages that are dropped onto the page, by the command `submit`. */
export function submitRoutes(server: FastifyInstance, desk: ConsoleContext): void {
  const drafts = new Drafts(desk.folder, 2 * PACKAGE_BYTES);
  // A file is written as it arrives. The check reports files that are too large for the stage; this only protects the disk.
  server.addContentTypeParser('application/octet-stream', (_request, body, done) => done(null, body));
  server.post('/api/packages', async () => ({ id: await drafts.begin() }));
  server.post('/api/packages/:id/files', async ({ params, query, body }: Asked) => {
    await drafts.write(params.id, String(query.path ?? ''), body as Readable);
    return {};
  });
  server.post('/api/packages/:id/check', async ({ params, body }: Asked) =>
    check(desk, drafts, params.id, named.parse(body).orderRef),
  );
  server.post('/api/packages/:id/submit', async ({ params, body }: Asked, reply) => {
    const { orderRef } = named.parse(body);
    const folder = drafts.folder(params.id);
    const letGo = drafts.hold(params.id);
    reply.hijack();
    const { raw } = reply;
    raw.writeHead(200, { ...HEADERS, 'content-type': 'application/x-ndjson' });
    const send = (message: SubmitMessage) => raw.write(`${JSON.stringify(message)}\n`);
    try {
      const { lines, json } = await submit(desk.place, folder, orderRef, { progressOf: progressTo(send) });
      const { problems } = json as { problems?: Problem[] };
      send(problems ? { problems } : { said: lines[0] ?? '', orderRef });
      if (!problems) await drafts.remove(params.id);
    } catch (error) {
      const status = error instanceof Refusal ? 409 : 502;
      const failed = desk.describe(error);
      send({ failed: { ...failed, error: withoutFolder(failed.error, folder) }, status });
    } finally {
      letGo();
    }
    raw.end();
  });
}

async function check(
  { connection, place }: ConsoleContext,
  drafts: Drafts,
  id: string,
  orderRef: string,
): Promise<PackageCheck> {
  const folder = drafts.folder(id);
  const files = await drafts.files(id);
  try {
    const settings = await packagesOf(place, connection.settings());
    const { problems, unnamed, orderJson } = await readPackage(folder, settings, orderRef);
    return { files, problems, unnamed, orderJson: Buffer.from(orderJson).toString('utf8') };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { files, problems: [], unnamed: [], refused: withoutFolder(error.message, folder) };
  }
}

/** Hides the name of our temporary folder. */
function withoutFolder(sentence: string, folder: string): string {
  return sentence
    .replaceAll(`Folder ${folder}`, 'The package')
    .replaceAll(`${folder}/`, '')
    .replaceAll(folder, 'the package');
}

function progressTo(send: (message: SubmitMessage) => void): ProgressOf {
  return (files) => {
    const progress = { name: '', done: 0, total: files.reduce((sum, { size }) => sum + size, 0) };
    const tell = (change: Partial<typeof progress>) => send({ progress: Object.assign(progress, change) });
    return {
      begin: ({ name }) => tell({ name }),
      add: (stored) => tell({ done: progress.done + stored }),
      end: () => undefined,
    };
  };
}
