import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { Refusal } from '../../commands/refusal.ts';
import type { PlaceOptions } from '../../commands/stage/place.ts';
import { answerSafely, answerUnreadable } from './answer-safely.ts';
import { openDesk } from './desk.ts';
import { Entrance } from './entrance.ts';
import { framed } from './headers.ts';
import { type PageFiles, pageFiles } from './page-files.ts';
import { actionRoutes } from './routes-actions.ts';
import { evidenceRoutes } from './routes-evidence.ts';
import { oneOrderRoutes } from './routes-order.ts';
import { orderRoutes } from './routes-orders.ts';
import { rejectedRoutes } from './routes-rejected.ts';
import { signingRoutes } from './routes-signing.ts';
import { submitRoutes } from './routes-submit.ts';
import { CLOSED_SHELL, SHELL } from './shell.ts';
import { type ViewerFile, viewerFile } from './viewer-file.ts';

export interface ConsoleOptions {
  place: PlaceOptions;
  /** 0 is any free port. */
  port: number;
  /** Prints the address that opens the console next. */
  onAddress(address: string): void;
  /** Milliseconds between two looks at the orders; by default 1,000 on the laptop and 5,000 on AWS. */
  lookEvery?: number;
}

/** A console that is served. */
export interface Console {
  /** Its address without a token. */
  url: string;
  close(): Promise<void>;
}

/** No request but an upload is large. */
const LARGEST_BODY = 2 * 1024 * 1024;

/** A `fileId` has up to 1,024 bytes less its key's beginning, and each may be written as three characters. */
const LONGEST_PARAMETER = 3 * 1024;

/**
 * Serves the console at 127.0.0.1, with the rights of whoever started it.
 * @throws Refusal when the stage is not deployed there.
 */
export async function startConsole(options: ConsoleOptions): Promise<Console> {
  const { place, lookEvery = place.local ? 1_000 : 5_000 } = options;
  const desk = await openDesk(place);
  await desk.folder.removeLeft();
  const server = Fastify({
    bodyLimit: LARGEST_BODY,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
    frameworkErrors: answerUnreadable,
  });
  const files = new PageCache();
  let entrance: Entrance | undefined;
  const known = () => entrance as Entrance;
  answerSafely(server, known, desk);
  pageRoutes(server, known, files, (token) => options.onAddress(addressOf(server, token)));
  await server.register(orderRoutes(desk));
  await server.register(oneOrderRoutes(desk, lookEvery));
  await server.register(rejectedRoutes(desk, lookEvery));
  await server.register(actionRoutes(desk));
  await server.register(signingRoutes(desk));
  await server.register(evidenceRoutes(desk));
  await server.register(submitRoutes(desk));
  server.addHook('onClose', () => desk.folder.remove());
  await server.listen({ host: '127.0.0.1', port: options.port }).catch(async (error: NodeJS.ErrnoException) => {
    await server.close();
    if (error.code !== 'EADDRINUSE') throw error;
    throw new Refusal(`Port ${options.port} is in use by another program. Give --port another port, or leave it out.`);
  });
  entrance = new Entrance((server.server.address() as AddressInfo).port);
  options.onAddress(addressOf(server, entrance.token));
  const looking = setInterval(() => desk.feed.look(), lookEvery).unref();
  return {
    url: addressOf(server),
    close: async () => {
      clearInterval(looking);
      await server.close();
    },
  };
}

const packed = promisify(gzip);

/** Bundles the page, and the viewer of PDFs, each when it is asked for, once. */
class PageCache {
  #files: Promise<PageFiles> | undefined;
  #viewer: Promise<ViewerFile> | undefined;

  get(): Promise<PageFiles> {
    this.#files ??= pageFiles();
    return this.#files;
  }

  viewer(): Promise<ViewerFile> {
    this.#viewer ??= viewerFile();
    return this.#viewer;
  }
}

function addressOf(server: FastifyInstance, token?: string): string {
  const { port } = server.server.address() as AddressInfo;
  return `http://127.0.0.1:${port}/${token === undefined ? '' : `?token=${token}`}`;
}

function pageRoutes(
  server: FastifyInstance,
  entrance: () => Entrance,
  cache: PageCache,
  onOpened: (token: string) => void,
): void {
  const shell = async (request: FastifyRequest<{ Querystring: { token?: string } }>, reply: FastifyReply) => {
    const { token } = request.query;
    if (token === undefined) return reply.type('text/html; charset=utf-8').send(SHELL);
    const session = entrance().open(token);
    if (session === undefined && !entrance().knows(request)) {
      return reply.code(401).type('text/html; charset=utf-8').send(CLOSED_SHELL);
    }
    if (session !== undefined) {
      reply.header('set-cookie', `${entrance().cookie}=${session}; HttpOnly; SameSite=Strict; Path=/`);
      onOpened(entrance().token);
    }
    return reply.redirect('/', 303);
  };
  for (const path of ['/', '/orders/*', '/submit', '/rejected']) server.get(path, shell);
  for (const path of ['/page.js', '/style.css']) {
    server.get(path, async (_request, reply) => {
      const file = (await cache.get()).get(path);
      const content = await packed(file?.content ?? new Uint8Array());
      return reply
        .type(file?.type ?? 'text/plain')
        .header('content-encoding', 'gzip')
        .send(content);
    });
  }
  server.get('/viewer', async (_request, reply) => {
    const { content, policy } = await cache.viewer();
    return reply
      .headers(framed(policy))
      .type('text/html; charset=utf-8')
      .header('content-encoding', 'gzip')
      .send(await packed(content));
  });
}
