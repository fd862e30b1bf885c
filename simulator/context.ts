import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CallRecord, RecordedCall } from './call-record.ts';
import type { LegacyBook } from './legacy/book.ts';
import type { OrderBook } from './order-book.ts';
import type { SimulatorSettings } from './settings.ts';
import type { Tokens } from './tokens.ts';

/**
 * Where faults can be put in: `before` runs when the call is authorized and its route is known but nothing has been
 * done, `after` when everything has been done and nothing has been answered. `before` may answer in place of the route
 * with `reply.send`; `after` is given the body and may answer another one (a text or a stream). Either may change the
 * reply's status and headers, destroy `request.raw.socket`, throw, or wait.
 */
export interface SimulatorHooks {
  before?(call: RecordedCall, request: FastifyRequest, reply: FastifyReply): Promise<void>;
  after?(call: RecordedCall, request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown>;
}

/** Everything the routes work with. */
export interface SimulatorContext {
  settings: SimulatorSettings;
  /** Milliseconds since the epoch. */
  now: () => number;
  orders: OrderBook;
  legacy: LegacyBook;
  tokens: Tokens;
  calls: CallRecord;
  hooks: SimulatorHooks;
}
