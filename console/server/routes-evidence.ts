import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { evidence } from '../../commands/evidence.ts';
import { refusal } from '../../commands/shared/refusals.ts';
import type { MadeEvidence } from '../api.ts';
import type { Asked, ConsoleContext } from './context.ts';
import { attachment } from './headers.ts';

/** The most archives that wait for their download. Beyond that, the oldest is removed. */
const MOST = 4;

const wish = z.strictObject({ unsigned: z.boolean() });

/** The evidence of an order: the command of the same name writes the archive, then the browser downloads it. */
export function evidenceRoutes(server: FastifyInstance, { place, folder }: ConsoleContext): void {
  /** The paths of complete archives that were not downloaded yet, oldest first. */
  const archives = new Map<string, string>();
  const remove = async (id: string) => {
    const archive = archives.get(id);
    archives.delete(id);
    if (archive !== undefined) await rm(archive, { force: true });
  };
  server.post('/api/orders/:orderRef/evidence', async ({ params, body }: Asked): Promise<MadeEvidence> => {
    const { unsigned } = wish.parse(body);
    const id = randomUUID();
    const out = join(await folder.make(`evidence-${id}`), 'evidence.zip');
    const options = { out, shown: 'The archive', isServer: true, ...(unsigned && { unsigned }) } as const;
    const { json } = await evidence(place, params.orderRef, options);
    const { sha256, signed } = json as MadeEvidence;
    archives.set(id, out);
    for (const old of [...archives.keys()].slice(0, -MOST)) await remove(old);
    return { id, sha256, signed };
  });
  server.get('/api/orders/:orderRef/evidence/:id', async ({ params }: Asked, reply) => {
    const archive = archives.get(params.id) ?? '';
    const found = await stat(archive).catch(() => undefined);
    if (!found) throw refusal('archiveGone');
    reply.raw.once('close', () => void remove(params.id));
    reply.headers({ ...attachment(`${params.orderRef}.evidence.zip`), 'content-length': found.size });
    return reply.type('application/zip').send(createReadStream(archive));
  });
}
