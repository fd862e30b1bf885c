import type { RequestHead } from './carried-request.ts';
import type { CarriedHeaders } from './http.ts';

/**
 * Messages from a function's thread to the embedded AWS. `id` identifies the exchange. A request with `body` is complete; without
 * it, pieces follow.
 */
export type ClientMessage =
  | { type: 'request'; id: number; head: RequestHead; body?: Uint8Array }
  | { type: 'piece'; id: number; piece: Uint8Array }
  | { type: 'end'; id: number }
  /** The client has read a piece of the response and is ready for the next one. */
  | { type: 'next'; id: number }
  /** The client has aborted the exchange. */
  | { type: 'abort'; id: number };

/** Messages from the embedded AWS to a function's thread. A response with `body` is complete; without it, pieces follow. */
export type ServerMessage =
  | { type: 'response'; id: number; status: number; headers: CarriedHeaders; body?: Uint8Array }
  | { type: 'piece'; id: number; piece: Uint8Array }
  | { type: 'end'; id: number }
  /** The server has read a piece of the request and is ready for the next one. */
  | { type: 'next'; id: number }
  /** Stands for a closed connection. */
  | { type: 'reset'; id: number };

/**
 * A copy of bytes in a buffer of their own. Node keeps small buffers in a common one of 64 KB, and a message copies all of it, which
 * made collecting garbage an eighth of the time of functions.
 */
export function alone(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}
