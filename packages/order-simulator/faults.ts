import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from './errors.ts';

/** The names of the faults that a person can switch on while the simulator runs. `up` is none. */
export const faultNames = ['down', 'reject', 'html', 'slow', 'up'] as const;

export type FaultName = (typeof faultNames)[number];

/** The fault that is switched on. `status` belongs to `html`. */
export interface FaultState {
  fault: FaultName;
  status?: number;
}

const PAGE =
  '<!doctype html><html><head><title>Maintenance</title></head><body><h1>We will be back soon</h1></body></html>\n';

/** Which fault the service has. Token requests have none but `down`, as if they went to another machine. */
export class Faults {
  readonly #slowSeconds: () => number;
  #state: FaultState = { fault: 'up' };
  #ended = new AbortController();
  #server: Server | undefined;
  #port = 0;
  onChange?: (state: FaultState) => void;

  /** @param slowSeconds how late `slow` answers */
  constructor(slowSeconds: () => number) {
    this.#slowSeconds = slowSeconds;
  }

  /** The server that `down` stops. It listens. */
  strike(server: Server): void {
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
  }

  state(): FaultState {
    return this.#state;
  }

  /** Switches from one fault to another. Answers that `slow` holds back are sent at once. */
  async change(state: FaultState): Promise<void> {
    this.release();
    this.#state = state;
    if (state.fault === 'down') this.stopListening();
    else await this.listenAgain();
    this.onChange?.(state);
  }

  /** Refuses every new connection from now on. The state stays, and calls under way finish. */
  stopListening(): void {
    if (!this.#server?.listening) return;
    this.#server.close();
    this.#server.closeIdleConnections();
  }

  /** Listens again on the same port. */
  async listenAgain(): Promise<void> {
    if (!this.#server || this.#server.listening) return;
    const listening = once(this.#server, 'listening');
    this.#server.listen(this.#port, '127.0.0.1');
    await listening;
  }

  release(): void {
    this.#ended.abort();
    this.#ended = new AbortController();
  }

  /** Answers a call in place of its route, if the fault does. Returns whether it did. */
  answer(request: FastifyRequest, reply: FastifyReply): boolean {
    const { fault, status = 200 } = this.#state;
    if (isForToken(request)) return false;
    if (fault === 'html') reply.code(status).type('text/html; charset=utf-8').send(PAGE);
    if (fault === 'reject' && request.method === 'POST' && request.routeOptions.url === '/v1/orders') {
      throw new ServiceError(422, 'new_orders_refused', 'New orders are refused at present.');
    }
    return fault === 'html';
  }

  /** Holds back the answer to a call that has had its effect. */
  async hold(request: FastifyRequest): Promise<void> {
    if (this.#state.fault !== 'slow' || isForToken(request)) return;
    const { signal } = this.#ended;
    await delay(this.#slowSeconds() * 1000, undefined, { signal, ref: false }).catch((error: Error) => {
      if (!signal.aborted) throw error;
    });
  }
}

function isForToken({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.url?.endsWith('/token') === true;
}
