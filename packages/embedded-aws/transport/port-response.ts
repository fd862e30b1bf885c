import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import type { ServerMessage } from './port-messages.ts';

/** The part of a socket's interface that the SDK uses. */
export class PortSocket extends EventEmitter {
  readonly connecting = false;
  #idle: NodeJS.Timeout | undefined;
  #limit: { milliseconds: number; onTimeout: () => void } | undefined;

  setKeepAlive(): this {
    return this;
  }

  /** Calls `onTimeout` after this time without traffic. */
  setTimeout(milliseconds: number, onTimeout: () => void): this {
    this.#limit = { milliseconds, onTimeout };
    this.move();
    return this;
  }

  /** Reports traffic: restarts the timeout. */
  move(): void {
    clearTimeout(this.#idle);
    if (this.#limit) this.#idle = setTimeout(this.#limit.onTimeout, this.#limit.milliseconds);
  }

  destroy(): void {
    clearTimeout(this.#idle);
    this.#limit = undefined;
  }
}

/** The part of a response's interface that the SDK uses. */
export class PortResponse extends Readable {
  readonly statusCode: number;
  readonly statusMessage = '';
  readonly headers: Record<string, string>;
  complete = false;
  readonly #onRead: () => void;

  constructor({ status, headers }: ServerMessage & { type: 'response' }, onRead: () => void) {
    super();
    this.statusCode = status;
    this.headers = headers;
    this.#onRead = onRead;
  }

  add(piece: Uint8Array | null): void {
    if (piece === null) this.complete = true;
    this.push(piece);
  }

  override _read(): void {
    this.#onRead();
  }

  /** Like Node's own response, an error without a listener does not end the process. */
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    done(this.listenerCount('error') > 0 ? error : null);
  }
}

/** Node's error for a closed connection. */
export function hungUp(): Error {
  return Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
}
