import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from './errors.ts';

/** The faults that a user can switch on while the simulator runs. `up` means no fault. */
export const faultNames = ['down', 'reject', 'html', 'slow', 'up'] as const;

export type FaultName = (typeof faultNames)[number];

/** The fault that is switched on. Only `html` has a `status`, the HTTP status of its answers. */
export interface FaultState {
  fault: FaultName;
  status?: number;
}

const PAGE =
  '<!doctype html><html><head><title>Maintenance</title></head><body><h1>We will be back soon</h1></body></html>\n';

/** Applies the current fault. Token requests are affected only by `down`, as if another server handled them. */
export class Faults {
  readonly #slowSeconds: () => number;
  #state: FaultState = { fault: 'up' };
  #ended = new AbortController();
  #server: Server | undefined;
  #port = 0;
  onChange?: (state: FaultState) => void;

  /** @param slowSeconds by how many seconds `slow` delays answers. */
  constructor(slowSeconds: () => number) {
    this.#slowSeconds = slowSeconds;
  }

  /** Sets the server that `down` stops. It must be listening. */
  attachTo(server: Server): void {
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
  }

  state(): FaultState {
    return this.#state;
  }

  /** Switches to another fault. Answers that `slow` delays are sent at once. */
  async change(state: FaultState): Promise<void> {
    this.release();
    this.#state = state;
    if (state.fault === 'down') this.stopListening();
    else await this.listenAgain();
    this.onChange?.(state);
  }

  /** Refuses new connections. Calls in progress finish, and the fault state stays. */
  stopListening(): void {
    if (!this.#server?.listening) return;
    this.#server.close();
    this.#server.closeIdleConnections();
  }

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

  /** Answers the call in place of its route if the fault requires it. Returns whether it answered. */
  answer(request: FastifyRequest, reply: FastifyReply): boolean {
    const { fault, status = 200 } = this.#state;
    if (isForToken(request)) return false;
    if (fault === 'html') reply.code(status).type('text/html; charset=utf-8').send(PAGE);
    if (fault === 'reject' && request.method === 'POST' && request.routeOptions.url === '/v1/orders') {
      throw new ServiceError(422, 'new_orders_refused', 'New orders are refused at present.');
    }
    return fault === 'html';
  }

  /** Delays the answer while the fault is `slow`. The route has already run. */
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
