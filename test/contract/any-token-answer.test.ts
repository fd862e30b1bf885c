import { createServer, type Server, type Socket } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { OrderError } from '../../core/errors.ts';
import { callFailureOf } from '../../core/ledger/knowledge.ts';
import type { TokenSource } from '../../core/service/authorized-calls.ts';
import { FleetToken, openToken, type SharedToken } from '../../core/service/token-renewal.ts';
import { type AccessToken, requestToken } from '../../core/service/token-request.ts';
import { LONGEST_WAIT_SECONDS } from '../../core/time.ts';
import { bytes, holds, json } from '../helpers/any-input.ts';
import { listening } from '../helpers/listening.ts';
import { clientAt, tokenSettings } from '../helpers/order-service-client.ts';
import { framing, headed, lines, type TokenAnswer, tokenAnswers, written } from './any-token-answers.ts';

/** A server that answers token requests with these bytes, whatever they are, and every other call with 202. */
let server: Server;
let url: string;
let answer: Buffer;
/** The tokens with which the order service was called. */
let calls: (string | undefined)[];

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  server = createServer((socket) => {
    let request = '';
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      request += chunk.toString('latin1');
      if (isWhole(request)) respond(socket, request);
    });
  });
  url = await listening(server);
});

afterAll(() => {
  vi.useRealTimers();
  server.close();
});

function isWhole(request: string): boolean {
  const end = request.indexOf('\r\n\r\n');
  const length = Number(/content-length: (\d+)/i.exec(request)?.[1] ?? 0);
  return end >= 0 && request.length >= end + 4 + length;
}

function respond(socket: Socket, request: string): void {
  if (request.startsWith('POST /oauth2/token ')) {
    socket.end(answer);
    return;
  }
  calls.push(/^authorization: Bearer (.*)$/im.exec(request)?.[1]);
  socket.end('HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n');
}

const CREDENTIALS = { client_id: 'partner', client_secret: 'secret' };

/** The shared item of one function, in memory. */
function sharedToken() {
  const item: { sealed?: string; notBefore?: number | undefined; isLocked: boolean } = { isLocked: false };
  const shared: SharedToken = {
    read: async () => item,
    lock: async () => {
      item.isLocked = true;
      return true;
    },
    write: async (_owner, sealed) => void Object.assign(item, { sealed, isLocked: false }),
    unlock: async (_owner, notBefore) => void Object.assign(item, { notBefore, isLocked: false }),
  };
  return { item, shared };
}

function tokenIn({ status, body }: TokenAnswer): string | undefined {
  if (status !== 200) return undefined;
  try {
    const { access_token } = JSON.parse(new TextDecoder('utf-8', { ignoreBOM: true }).decode(body)) as Record<
      string,
      unknown
    >;
    return typeof access_token === 'string' && /^[!-~]{1,12288}$/.test(access_token) ? access_token : undefined;
  } catch {
    return undefined;
  }
}

/** Makes a call that needs a token, and returns its error. */
function attempt(tokens: TokenSource): Promise<OrderError | undefined> {
  calls = [];
  return clientAt(url, tokens)
    .acceptOrder('o')
    .then(
      () => undefined,
      (thrown) => thrown,
    );
}

/** Makes such a call, checks what is true of every token answer, and returns the call's error. */
async function accept(): Promise<OrderError | undefined> {
  const { item, shared } = sharedToken();
  const tokens = new FleetToken({
    readCredentials: async () => CREDENTIALS,
    requestToken: (credentials) => requestToken(credentials, tokenSettings(url)),
    shared,
    lockDuration: 5_000,
  });
  const error = await attempt(tokens);
  expect(item.isLocked).toBe(false);
  if (error) await expectNotSent(error, item.notBefore, tokens);
  else {
    const { issuedAt, expiresAt } = openToken(item.sealed ?? '', CREDENTIALS) as AccessToken;
    expect(expiresAt).toBeGreaterThanOrEqual(issuedAt);
    expect(expiresAt - issuedAt).toBeLessThanOrEqual(30 * 86_400_000);
  }
  return error;
}

async function expectNotSent(error: OrderError, notBefore: number | undefined, tokens: TokenSource): Promise<void> {
  expect(error).toBeInstanceOf(OrderError);
  expect(['ServiceUnavailable', 'Throttled', 'Unauthorized']).toContain(error.name);
  expect(callFailureOf(error)).toBe('not sent');
  expect(error.message.length).toBeLessThan(400);
  expect(calls).toEqual([]);
  if (notBefore === undefined || notBefore <= Date.now()) return;
  expect(notBefore).toBeLessThanOrEqual(Date.now() + LONGEST_WAIT_SECONDS * 1_000);
  // Nobody asks again before that time.
  answer = written({ status: 200, headers: [], body: Buffer.from('{"access_token":"t"}') });
  expect(await attempt(tokens)).toMatchObject({ name: 'Throttled', call: { retryAfterSeconds: expect.any(Number) } });
}

test('a call is made with the token of any answer that has a usable one; else it fails by a known error and is not sent', () =>
  holds(tokenAnswers, 320, async (given) => {
    answer = written(given);
    const expected = tokenIn(given);
    const error = await accept();
    expect(calls).toEqual(expected === undefined ? [] : [expected]);
    if (error) expect(error.name === 'Unauthorized').toBe([400, 401, 403].includes(given.status));
    if (error?.name === 'Throttled') expect([429, 503]).toContain(given.status);
  }));

test('an answer whose head and length are wrong fails a call by a known error, or is used', () =>
  holds(fc.tuple(tokenAnswers, framing, fc.nat({ max: 60 })), 160, async ([given, [name, value], cut]) => {
    const head = [`HTTP/1.1 ${given.status} Any`, ...lines(given.headers), `${name}: ${value}`];
    const whole = headed(head, given.body);
    answer = cut > 50 ? whole.subarray(0, cut) : whole;
    await accept();
  }));

test('any bytes in place of an answer fail a call by a known error', () =>
  holds(
    fc.oneof(
      bytes,
      json.map((value) => Buffer.from(`HTTP/1.1 ${JSON.stringify(value)}\r\n\r\n`)),
    ),
    120,
    async (given) => {
      answer = Buffer.from(given);
      expect(await accept()).toBeDefined();
    },
  ));
