import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RecordedCall } from './call-record.ts';
import type { Faults } from './faults.ts';
import type { OrderBook } from './order-book.ts';
import type { SimulatorSettings } from './settings.ts';
import type { Tokens } from './tokens.ts';

/** Inject faults. Either hook may change the reply's status and headers, destroy `request.raw.socket`, throw, or wait. */
export interface SimulatorHooks {
  /** Runs when the call is authorized and before it has any effect. It may answer instead of the route, with `reply.send`. */
  before?(call: RecordedCall, request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Runs when the call has had its effect and before it is answered. It may return another body, a text or a stream. */
  after?(call: RecordedCall, request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown>;
}

export interface SimulatorContext {
  settings: SimulatorSettings;
  /** Milliseconds since the epoch. */
  now: () => number;
  orders: OrderBook;
  tokens: Tokens;
  calls: RecordedCall[];
  hooks: SimulatorHooks;
  faults: Faults;
}
