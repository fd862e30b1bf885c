import type { RequestHead } from './carried-request.ts';
import type { CarriedHeaders } from './http.ts';

/**
 * What goes over a message port from a function's thread to the embedded AWS. `id` names the exchange. A request with `body` is whole;
 * one without has its pieces follow.
 */
export type ClientMessage =
  | { type: 'request'; id: number; head: RequestHead; body?: Uint8Array }
  | { type: 'piece'; id: number; piece: Uint8Array }
  | { type: 'end'; id: number }
  /** The client has read a piece of the response, and takes the next one. */
  | { type: 'next'; id: number }
  /** The client has broken the exchange off. */
  | { type: 'abort'; id: number };

/** The other way. A response with `body` is whole; one without has its pieces follow. */
export type ServerMessage =
  | { type: 'response'; id: number; status: number; headers: CarriedHeaders; body?: Uint8Array }
  | { type: 'piece'; id: number; piece: Uint8Array }
  | { type: 'end'; id: number }
  /** The server has read a piece of the request, and takes the next one. */
  | { type: 'next'; id: number }
  /** The connection is closed, as it were. */
  | { type: 'reset'; id: number };
