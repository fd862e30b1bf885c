import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import multipart from '@fastify/multipart';
import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { loanIn } from '../../commands/shared/alike-orders.ts';
import { checkPackage } from '../../commands/shared/local-package.ts';
import { refusal } from '../../commands/shared/refusals.ts';
import { orDenied } from '../../commands/shared/service-words.ts';
import { packagesOf } from '../../commands/shared/stack-outputs.ts';
import { Refusal } from '../../commands/shared/text.ts';
import type { ProgressOf } from '../../commands/submit/package.ts';
import { submit } from '../../commands/submit.ts';
import type { Problem } from '../../core/json/json-problems.ts';
import { intakePart, isOfSystem } from '../../core/package/intake-key.ts';
import { ORDER_JSON_BYTES, PACKAGE_BYTES } from '../../core/package/whole-package.ts';
import type { PackageCheck, SubmitMessage } from '../api.ts';
import type { Asked, ConsoleContext } from './context.ts';
import { HEADERS } from './headers.ts';
import { storeFile } from './incoming-package.ts';

/** A package with more files is a mistake, such as a home folder. */
const MOST_FILES = 1_000;

const dropped = z.strictObject({
  orderRef: z.string(),
  files: z.array(z.strictObject({ path: z.string(), size: z.number() })),
});

/** Checks and submits packages that are dropped onto the page, by the command `submit`. */
export async function submitRoutes(server: FastifyInstance, desk: ConsoleContext): Promise<void> {
  // The check reports files that are too large for the stage; this only protects the disk.
  await server.register(multipart, { limits: { fileSize: 2 * PACKAGE_BYTES, files: MOST_FILES, parts: MOST_FILES } });
  server.post('/api/packages/check', async (request: Asked) => {
    const parts = new Map<string, Buffer>();
    for await (const part of request.parts({ limits: { fileSize: 2 * ORDER_JSON_BYTES, files: 2, parts: 2 } }))
      if (part.type === 'file') parts.set(part.fieldname, await buffer(part.file));
    return check(desk, dropped.parse(JSON.parse(String(parts.get('facts')))), parts.get('order.json'));
  });
  /** The paths of the package in intake. */
  server.get('/api/packages/:orderRef', async ({ params }: Asked): Promise<string[]> => {
    const paths: string[] = [];
    for await (const page of desk.buckets.uploads(params.orderRef))
      paths.push(...page.map(({ document = 'order.json' }) => document));
    return paths;
  });
  server.get('/api/packages/:orderRef/file', async ({ params, query }: Asked, reply) => {
    const key = `orders/${params.orderRef}/${query.name}`;
    const body = /^(package|document)$/.test(intakePart(key)?.part ?? '') && (await desk.buckets.open('intake', key));
    if (!body) throw refusal('noAddress');
    return reply.type('application/octet-stream').send(body);
  });
  server.post('/api/packages/submit', async (request: Asked, reply) => {
    const orderRef = String(request.query.orderRef);
    const folder = await desk.folder.make(`package-${randomUUID()}`);
    try {
      for await (const part of request.parts())
        if (part.type === 'file') await storeFile(folder, decodeURIComponent(part.fieldname), part.file as Readable);
      reply.hijack();
      const { raw } = reply;
      raw.writeHead(200, { ...HEADERS, 'content-type': 'application/x-ndjson' });
      await submitFolder(desk, folder, orderRef, (message) => raw.write(`${JSON.stringify(message)}\n`));
      raw.end();
    } finally {
      // The browser reads a refusal only after it has sent everything.
      request.raw.resume();
      await rm(folder, { recursive: true, force: true });
    }
  });
}

async function submitFolder(
  desk: ConsoleContext,
  folder: string,
  orderRef: string,
  send: (message: SubmitMessage) => void,
) {
  try {
    // The page then knows that everything has arrived: before this line, nothing is submitted.
    send({ progress: { name: '', done: 0, total: 0 } });
    const options = { isNew: true, progressOf: progressTo(send) } as const;
    const { lines, json, exitCode = 0 } = await submit(desk.place, folder, orderRef, options);
    const { problems } = json as { problems?: Problem[] };
    if (exitCode !== 0 && !problems) throw new Refusal(lines.join(' '));
    send(problems ? { problems } : { said: lines[0] ?? '', orderRef });
  } catch (error) {
    const failed = desk.describe(error);
    const said = failed.error.replaceAll(`${folder}/`, '').replaceAll(folder, 'the package');
    send({ failed: { ...failed, error: said }, status: error instanceof Refusal ? 409 : 502 });
  }
}

async function check(
  { connection, place, loans }: ConsoleContext,
  { orderRef, files }: z.infer<typeof dropped>,
  orderJson: Buffer | undefined,
): Promise<PackageCheck> {
  const settings = await packagesOf(place, connection.settings());
  const schema = settings.orderSchema && { orderSchema: settings.orderSchema };
  const sizes = new Map(files.map(({ path, size }) => [path, { versionId: '', size, contentType: '' }]));
  const found = {
    what: 'The package',
    orderRef,
    names: [...sizes.keys()].filter((path) => !isOfSystem(path)).sort(),
    orderJson,
  };
  try {
    if (files.length > MOST_FILES)
      throw new Refusal(`The package has ${files.length} files: more than ${MOST_FILES} cannot be sent here.`);
    const { problems, unnamed } = await checkPackage({ ...found, find: async (file) => sizes.get(file) }, settings);
    const isFine = problems.length === 0 && orderJson !== undefined;
    const loan = isFine ? loanIn(orderJson, connection.settings().labels ?? {}) : undefined;
    if (loan) await orDenied(() => loans.read(connection.record));
    const isTaken = isFine && (await connection.record.hasOrder(orderRef));
    return { ...schema, problems, unnamed, loan, alike: loans.alike(loan), ...(isTaken && { taken: orderRef }) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { ...schema, problems: [], unnamed: [], alike: [], refused: error.message };
  }
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
