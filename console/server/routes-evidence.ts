import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { evidence } from '../../commands/evidence.ts';
import { Refusal } from '../../commands/refusal.ts';
import type { MadeEvidence } from '../api.ts';
import type { Asked, Desk } from './desk.ts';
import { attachment } from './headers.ts';

/** The most archives that wait to be taken. The oldest is removed for another. */
const MOST = 4;

const wish = z.strictObject({ unsigned: z.boolean() });

/** The evidence of an order: first the command of the same name writes the archive, then the browser takes it. */
export function evidenceRoutes(server: FastifyInstance, { place, folder: own }: Desk): void {
  /** The folders of whole archives that nobody has taken yet. */
  const folders = new Map<string, string>();
  const remove = async (id: string) => {
    const folder = folders.get(id);
    folders.delete(id);
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  };
  server.post('/api/orders/:orderRef/evidence', async ({ params, body }: Asked): Promise<MadeEvidence> => {
    const { unsigned } = wish.parse(body);
    const id = randomUUID();
    const folder = await own.make(`evidence-${id}`);
    try {
      const { json } = await evidence(place, params.orderRef, {
        out: archiveIn(folder),
        ...(unsigned && { unsigned }),
      });
      const { sha256, signed } = json as MadeEvidence;
      folders.set(id, folder);
      for (const old of [...folders.keys()].slice(0, -MOST)) await remove(old);
      return { id, sha256, signed };
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      if (error instanceof Refusal) throw new Refusal(error.message.replaceAll(archiveIn(folder), 'The archive'));
      throw error;
    }
  });
  server.get('/api/orders/:orderRef/evidence/:id', async ({ params }: Asked, reply) => {
    const folder = folders.get(params.id);
    const found = folder === undefined ? undefined : await stat(archiveIn(folder)).catch(() => undefined);
    if (!found || folder === undefined)
      throw new Refusal('This archive was taken already, or is gone: write it again.');
    reply.raw.once('close', () => void remove(params.id));
    return reply
      .headers({ ...attachment(`${params.orderRef}.evidence.zip`), 'content-length': found.size })
      .type('application/zip')
      .send(createReadStream(archiveIn(folder)));
  });
}

const archiveIn = (folder: string) => join(folder, 'evidence.zip');
