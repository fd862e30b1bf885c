import { Readable } from 'node:stream';
import type { AwsIncoming, CarriedHeaders } from './http.ts';

/** The line and the headers of a request. */
export interface RequestHead {
  method: string;
  /** Path and query. */
  url: string;
  headers: CarriedHeaders;
}

/** A request that came without a socket. Its body is whole from the beginning, or is added piece by piece. */
export class CarriedRequest extends Readable implements AwsIncoming {
  readonly method: string;
  readonly url: string;
  readonly headers: CarriedHeaders;
  /** Called when there is room for the next piece of a body that comes in pieces. */
  readonly #onRoom: () => void;

  constructor({ method, url, headers }: RequestHead, onRoom: () => void = () => undefined) {
    super();
    this.method = method;
    this.url = url;
    this.headers = headers;
    this.#onRoom = onRoom;
  }

  /** Adds a piece of the body; null is its end. */
  add(piece: Uint8Array | null): void {
    this.push(piece);
  }

  override _read(): void {
    this.#onRoom();
  }
}
