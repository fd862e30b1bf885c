import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import * as z from 'zod';
import type { PlaceOptions } from '../../commands/shared/place.ts';
import { Refusal } from '../../commands/shared/text.ts';
import { answerSafely, answerUnreadable, PAGE_FILES, PAGES } from './answer-safely.ts';
import { Authenticator } from './authenticator.ts';
import { openConsoleContext } from './context.ts';
import { pageFiles } from './page-files.ts';
import { actionRoutes } from './routes-actions.ts';
import { evidenceRoutes } from './routes-evidence.ts';
import { listRoutes } from './routes-lists.ts';
import { oneOrderRoutes } from './routes-order.ts';
import { signingRoutes } from './routes-signing.ts';
import { submitRoutes } from './routes-submit.ts';
import { SHELL, shellWith } from './shell.ts';

const ROUTES = [listRoutes, oneOrderRoutes, actionRoutes, signingRoutes, evidenceRoutes, submitRoutes];

export interface ConsoleOptions {
  place: PlaceOptions;
  /** 0 means any free port. */
  port: number;
  /** Prints the next address that opens the console. */
  onAddress(address: string): void;
  /** Milliseconds between two reads of the orders; by default 1,000 on the laptop and 5,000 on AWS. */
  lookEvery?: number;
}

/** Bytes. Only uploads may be larger. */
const LARGEST_BODY = 2 * 1024 * 1024;

/** A `fileId` has at most 1,024 bytes, and each may be encoded as three characters. */
const LONGEST_PARAMETER = 3 * 1024;

/** Serves the console at 127.0.0.1, with the rights of whoever started it. Throws a Refusal when the stage is not deployed there. */
export async function startConsole({
  place,
  port,
  onAddress,
  lookEvery = place.local ? 1_000 : 5_000,
}: ConsoleOptions) {
  const desk = await openConsoleContext(place, lookEvery);
  await desk.folder.removeLeft();
  const server = Fastify({
    bodyLimit: LARGEST_BODY,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
    frameworkErrors: answerUnreadable,
  });
  const entrance = new Authenticator();
  const address = (query = '') => `http://127.0.0.1:${(server.server.address() as AddressInfo).port}/${query}`;
  const tell = () => onAddress(address(`?token=${entrance.token}`));
  answerSafely(server, entrance, desk);
  pageRoutes(server, entrance, tell);
  // Each accepts its own body type.
  for (const routes of ROUTES) await server.register(async (own) => routes(own, desk));
  server.addHook('onClose', () => desk.folder.remove());
  await server.listen({ host: '127.0.0.1', port }).catch(async (error: NodeJS.ErrnoException) => {
    await server.close();
    if (error.code !== 'EADDRINUSE') throw error;
    throw new Refusal(`Port ${port} is in use by another program. Give --port another port, or leave it out.`);
  });
  tell();
  return { url: address(), close: () => server.close() };
}

/** Routes that the browser loads by itself. */
const loaded = z.strictObject({ path: z.string().regex(/^\/api\/(orders\/|desk\/|report\.csv)/) });

// The page is bundled at the first request.
let files: ReturnType<typeof pageFiles> | undefined;

function pageRoutes(server: FastifyInstance, entrance: Authenticator, onOpened: () => void): void {
  const shell = async (request: FastifyRequest<{ Querystring: { token?: string } }>, reply: FastifyReply) => {
    const key = entrance.open(`${request.query.token}`);
    if (key !== undefined) onOpened();
    return reply.type('text/html; charset=utf-8').send(key === undefined ? SHELL : shellWith(key));
  };
  for (const path of PAGES) server.get(path, shell);
  server.get('/api/once', ({ query }) => ({ address: entrance.once(loaded.parse(query).path) }));
  for (const path of PAGE_FILES) {
    server.get(path, async (_request, reply) => {
      files ??= pageFiles();
      const file = (await files).get(path);
      return reply.type(`${file?.type}`).send(file?.content);
    });
  }
}
