import type { IncomingMessage, RequestOptions } from 'node:http';
import { Writable } from 'node:stream';
import type { MessagePort } from 'node:worker_threads';
import { carriedHeaders } from './http.ts';
import { alone, type ClientMessage, type ServerMessage } from './port-messages.ts';
import { hungUp, PortResponse, PortSocket } from './port-response.ts';

/** A body of up to this many bytes is sent in one message with its request, a longer one in pieces. */
const LARGEST_WHOLE = 64 * 1024;

/** The function's side of a message port: makes requests that look like those of `node:http`. */
export class PortClient {
  readonly #port: MessagePort;
  readonly #requests = new Map<number, PortRequest>();
  #last = 0;

  constructor(port: MessagePort) {
    this.#port = port;
    port.on('message', (message: ServerMessage) => this.#requests.get(message.id)?.receive(message));
  }

  /** Like `http.request` with options and a response listener. */
  request(options: RequestOptions, onResponse?: (response: IncomingMessage) => void): PortRequest {
    this.#last += 1;
    const id = this.#last;
    const request = new PortRequest(id, options, (message) => this.#port.postMessage(message));
    this.#requests.set(id, request);
    request.once('close', () => this.#requests.delete(id));
    if (onResponse) request.once('response', onResponse);
    return request;
  }
}

/** A request and its response. It closes when its response does. */
export class PortRequest extends Writable {
  readonly socket = new PortSocket();
  readonly reusedSocket = false;
  readonly #id: number;
  readonly #options: RequestOptions;
  readonly #post: (message: ClientMessage) => void;
  #body: Buffer[] = [];
  #size = 0;
  #isSent = false;
  #onRoom: (() => void) | undefined;
  #hasRoom = false;
  #response: PortResponse | undefined;
  #isOver = false;

  constructor(id: number, options: RequestOptions, post: (message: ClientMessage) => void) {
    // No autoDestroy: the request stays open until its response closes.
    super({ autoDestroy: false });
    this.#id = id;
    this.#options = options;
    this.#post = post;
    // The SDK sends `Expect: 100-continue` for a large body to S3 and would wait six seconds. Node's server answers it by itself.
    if (carriedHeaders(options.headers ?? {}).expect === '100-continue') process.nextTick(() => this.emit('continue'));
  }

  receive(message: ServerMessage): void {
    this.socket.move();
    if (message.type === 'next') this.#takeRoom();
    else if (message.type === 'response') this.#respond(message);
    else if (message.type === 'piece') this.#response?.add(message.piece);
    else if (message.type === 'end') this.#end();
    else this.#reset();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, taken: () => void): void {
    if (this.#isSent) {
      this.#sendPiece(chunk, taken);
      return;
    }
    this.#body.push(chunk);
    this.#size += chunk.length;
    if (this.#size <= LARGEST_WHOLE) {
      taken();
      return;
    }
    this.#sendHead();
    this.#sendPiece(Buffer.concat(this.#body.splice(0)), taken);
  }

  override _final(done: () => void): void {
    if (this.#isSent) this.#post({ type: 'end', id: this.#id });
    else this.#sendHead(alone(Buffer.concat(this.#body.splice(0))));
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.#isOver && this.#isSent) this.#post({ type: 'abort', id: this.#id });
    if (!this.#isOver) this.#response?.destroy(error ?? hungUp());
    this.#isOver = true;
    this.socket.destroy();
    done(error);
  }

  #sendHead(body?: Uint8Array): void {
    const { method = 'GET', path, headers = {} } = this.#options;
    const head = { method, url: path ?? '/', headers: carriedHeaders(headers) };
    this.#isSent = true;
    this.#post(
      body === undefined ? { type: 'request', id: this.#id, head } : { type: 'request', id: this.#id, head, body },
    );
  }

  #sendPiece(piece: Buffer, taken: () => void): void {
    this.#onRoom = () => {
      this.#post({ type: 'piece', id: this.#id, piece: alone(piece) });
      taken();
    };
    if (this.#hasRoom) this.#takeRoom();
  }

  /** The server is ready for the next piece: sends it now, or as soon as there is one. */
  #takeRoom(): void {
    const send = this.#onRoom;
    this.#hasRoom = send === undefined;
    this.#onRoom = undefined;
    send?.();
  }

  #respond(message: ServerMessage & { type: 'response' }): void {
    const { body } = message;
    const onRead = body === undefined ? () => this.#post({ type: 'next', id: this.#id }) : () => undefined;
    const response = new PortResponse(message, onRead);
    this.#response = response;
    response.once('close', () => this.destroy());
    this.emit('response', response);
    if (body === undefined) return;
    if (body.length > 0) response.add(body);
    this.#end();
  }

  #end(): void {
    this.#isOver = true;
    this.#response?.add(null);
  }

  #reset(): void {
    this.#isOver = true;
    if (this.#response) this.#response.destroy(hungUp());
    else this.destroy(hungUp());
  }
}
