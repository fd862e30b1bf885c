import type { OutgoingHttpHeaders } from 'node:http';
import { Writable } from 'node:stream';
import { type AwsOutgoing, type CarriedHeaders, carriedHeaders } from './http.ts';

/** Receives a response: a client in this thread, a message port, or nobody. */
export interface ResponseSink {
  /** A complete response, as most are. Nothing follows. */
  whole(status: number, headers: CarriedHeaders, body: Buffer): void;
  /** Starts a response whose body follows in pieces. */
  begin(status: number, headers: CarriedHeaders): void;
  /** A piece of the body. The sink calls `taken` when it is ready for the next one. */
  piece(piece: Buffer, taken: () => void): void;
  end(): void;
  /** Aborts the response, like a closed connection. */
  reset(): void;
}

/** Discards a response. */
export const NOWHERE: ResponseSink = {
  whole: () => undefined,
  begin: () => undefined,
  piece: (_piece, taken) => taken(),
  end: () => undefined,
  reset: () => undefined,
};

/** A response without a socket. */
export class CarriedResponse extends Writable implements AwsOutgoing {
  headersSent = false;
  readonly #sink: ResponseSink;
  #status = 200;
  #headers: CarriedHeaders = {};
  /** The first piece of the body. It is held back until it is known whether more follows. */
  #first: Buffer | undefined;
  #isBegun = false;
  #isEnded = false;

  constructor(sink: ResponseSink) {
    super();
    this.#sink = sink;
  }

  setHeader(name: string, value: string | number): this {
    this.#headers[name.toLowerCase()] = String(value);
    return this;
  }

  writeHead(status: number, headers: OutgoingHttpHeaders = {}): this {
    this.headersSent = true;
    this.#status = status;
    this.#headers = { ...this.#headers, ...carriedHeaders(headers) };
    return this;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, taken: () => void): void {
    if (this.#first === undefined) {
      this.#first = chunk;
      taken();
      return;
    }
    if (this.#isBegun) {
      this.#sink.piece(chunk, taken);
      return;
    }
    this.#isBegun = true;
    this.#sink.begin(this.#status, this.#headers);
    this.#sink.piece(this.#first, () => this.#sink.piece(chunk, taken));
  }

  override _final(done: () => void): void {
    this.#isEnded = true;
    if (this.#isBegun) this.#sink.end();
    else this.#sink.whole(this.#status, this.#headers, this.#first ?? Buffer.alloc(0));
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.#isEnded) this.#sink.reset();
    done(error);
  }
}
