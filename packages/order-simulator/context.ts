import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RecordedCall } from './call-record.ts';
import type { Faults } from './faults.ts';
import type { OrderBook } from './order-book.ts';
import type { SimulatorSettings } from './settings.ts';
import type { Tokens } from './tokens.ts';

/** Hooks that inject faults. They may change the reply's status and headers, destroy `request.raw.socket`, throw, or wait. */
export interface SimulatorHooks {
  /** Runs after authorization, before the route. May answer in its place with `reply.send`. */
  before?(call: RecordedCall, request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Runs after the route, before the answer is sent. May return another body: a string or a stream. */
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
