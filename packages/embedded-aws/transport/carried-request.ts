import { Readable } from 'node:stream';
import type { AwsIncoming, CarriedHeaders } from './http.ts';

/** The request line and headers of a request. */
export interface RequestHead {
  method: string;
  /** Path and query. */
  url: string;
  headers: CarriedHeaders;
}

/** A request without a socket. Its body is added at once or piece by piece. */
export class CarriedRequest extends Readable implements AwsIncoming {
  readonly method: string;
  readonly url: string;
  readonly headers: CarriedHeaders;
  /** Called when the next piece of the body may be added. */
  readonly #onRoom: () => void;

  constructor({ method, url, headers }: RequestHead, onRoom: () => void = () => undefined) {
    super();
    this.method = method;
    this.url = url;
    this.headers = headers;
    this.#onRoom = onRoom;
  }

  /** Adds a piece of the body; null ends it. */
  add(piece: Uint8Array | null): void {
    this.push(piece);
  }

  override _read(): void {
    this.#onRoom();
  }
}
