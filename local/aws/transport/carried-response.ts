import type { OutgoingHttpHeaders } from 'node:http';
import { Writable } from 'node:stream';
import { type AwsOutgoing, type CarriedHeaders, carriedHeaders } from './http.ts';

/** Where a response goes: to a client in this thread, over a message port, or nowhere. */
export interface ResponseSink {
  /** A response with all of its body: most are. Nothing follows. */
  whole(status: number, headers: CarriedHeaders, body: Buffer): void;
  /** A response whose body comes in pieces. */
  begin(status: number, headers: CarriedHeaders): void;
  /** Calls `taken` when there is room for the next piece. */
  piece(piece: Buffer, taken: () => void): void;
  end(): void;
  /** The response breaks off, as a connection that is closed does. */
  reset(): void;
}

/** Nobody reads this response. */
export const NOWHERE: ResponseSink = {
  whole: () => undefined,
  begin: () => undefined,
  piece: (_piece, taken) => taken(),
  end: () => undefined,
  reset: () => undefined,
};

/** A response that goes without a socket. */
export class CarriedResponse extends Writable implements AwsOutgoing {
  headersSent = false;
  readonly #sink: ResponseSink;
  #status = 200;
  #headers: CarriedHeaders = {};
  /** The first piece of the body, kept back until it is known whether it is all of it. */
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
