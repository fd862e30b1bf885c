import type { HTTPMethods } from 'fastify';
import { Faults } from './faults.ts';
import { OrderBook } from './order-book.ts';
import { buildServer } from './server.ts';
import { defaultSettings, type SimulatorSettings } from './settings.ts';
import { createTokens, type IssuedToken } from './tokens.ts';

export interface OneRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: Buffer;
}

/** The stored state that a request needs: the order that it names, and its token. */
export interface StoredState {
  /** A value of `orders` in an earlier answer. */
  order?: string | undefined;
  token?: [token: string, issued: IssuedToken] | undefined;
}

/** An answer, and the state to store before it is sent. */
export interface OneAnswer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  /** The given order after the request, or a new order. By orderId. */
  orders: Map<string, string>;
  tokens: ReadonlyMap<string, IssuedToken>;
}

/**
 * Answers one request as a running simulator does, for servers that keep their state elsewhere. It has no other effects, so a caller whose
 * write conflicts can answer the request again from newer state.
 */
export async function answerOne(
  { method, url, headers, body }: OneRequest,
  { order, token }: StoredState,
  given: Partial<SimulatorSettings> = {},
  now = Date.now,
): Promise<OneAnswer> {
  const settings: SimulatorSettings = { ...defaultSettings, ...given };
  const [orders, tokens] = [new OrderBook(settings, now), createTokens(settings, now)];
  if (order !== undefined) orders.add(order);
  if (token) tokens.add(...token);
  const faults = new Faults(() => settings.slowAnswerSeconds);
  const server = await buildServer({ settings, now, orders, tokens, calls: [], hooks: {}, faults });
  try {
    // The simulator accepts only local requests. Here the caller decides which requests to accept.
    const own = { ...headers, host: '127.0.0.1' };
    const answer = await server.inject({ method: method as HTTPMethods & 'GET', url, headers: own, payload: body });
    // It is "close", because the server does not listen.
    const { connection: _connection, ...rest } = answer.headers;
    const texts = Object.entries(rest).map(([name, value]) => [name, String(value)]);
    return {
      status: answer.statusCode,
      headers: Object.fromEntries(texts),
      body: answer.rawPayload,
      orders: orders.texts(),
      tokens: tokens.all,
    };
  } finally {
    await server.close();
  }
}
