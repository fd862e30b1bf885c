import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ZodError } from 'zod';
import { Overtaken } from '../../commands/shared/overtaken.ts';
import { failure } from '../../commands/shared/refusals.ts';
import { Refusal } from '../../commands/shared/text.ts';
import { isOrderRef } from '../../core/package/intake-key.ts';
import type { Authenticator } from './authenticator.ts';
import type { ConsoleContext } from './context.ts';
import { HEADERS } from './headers.ts';
import { SHELL } from './shell.ts';

const HTML = 'text/html; charset=utf-8';
/** The routes that need no key: the page's files, which contain no data of a stage. */
export const PAGES = ['/', '/orders/*', '/sign', '/submit', '/rejected', '/report'];
export const PAGE_FILES = ['/page.js', '/style.css'];

const packed = promisify(gzip);

/** Refuses foreign requests, sets the headers, sends what the page does not have, and reports every failure in one sentence. */
export function answerSafely(server: FastifyInstance, entrance: Authenticator, { describe }: ConsoleContext): void {
  server.addHook('onRequest', async (request, reply) => {
    reply.headers(HEADERS);
    const foreign = entrance.foreignReason(request);
    if (foreign !== undefined) return reply.code(403).send({ error: foreign });
    // Compares the route, not the address, which can be written in many forms.
    const isOpen = [...PAGES, ...PAGE_FILES].includes(`${request.routeOptions.url}`);
    if (request.is404 || isOpen || entrance.knows(request)) return undefined;
    return reply.code(401).send(failure('consoleClosed'));
  });
  server.addHook('preHandler', async ({ params, query }, reply) => {
    const { orderRef } = (params ?? {}) as { orderRef?: string };
    if (Object.values(query as object).some((value) => typeof value !== 'string'))
      return reply.code(400).send(failure('notOfThePage'));
    if (orderRef !== undefined && !isOrderRef(orderRef)) throw new Refusal(`${orderRef} is not an orderRef.`);
  });
  server.addHook('onSend', async ({ headers }, reply, answer) => {
    if (typeof answer !== 'string' || reply.statusCode !== 200) return answer;
    const tag = `"${createHash('sha256').update(answer).digest('base64url')}"`;
    reply.header('etag', tag);
    const isSeen = headers['if-none-match'] === tag;
    if (isSeen) reply.code(304);
    else reply.header('content-encoding', 'gzip');
    return isSeen ? null : packed(answer);
  });
  server.setNotFoundHandler((request, reply) => {
    reply.code(404);
    if (isForPerson(request)) reply.type(HTML).send(SHELL);
    else reply.send(failure('noAddress'));
  });
  server.setErrorHandler((error: FastifyError, _request, reply) => {
    // The route may have begun to answer with a document.
    reply.type('application/json; charset=utf-8').removeHeader('content-length').removeHeader('content-disposition');
    const { statusCode = 500 } = error instanceof ZodError ? { statusCode: 400 } : error;
    if (statusCode < 500) return reply.code(statusCode).send(failure(statusCode === 413 ? 'tooLarge' : 'notOfThePage'));
    const more = error instanceof Overtaken && { difference: error.difference };
    return reply.code(error instanceof Refusal ? 409 : 502).send({ ...describe(error), ...more });
  });
}

/** Answers an address that the router cannot parse, before any hook runs. */
export function answerUnreadable(_error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(HEADERS);
  if (isForPerson(request)) reply.redirect('/no-page');
  else reply.code(400).send(failure('notOfThePage'));
}

function isForPerson({ method, url, headers }: FastifyRequest): boolean {
  return method === 'GET' && !url.startsWith('/api/') && String(headers.accept).includes('text/html');
}
