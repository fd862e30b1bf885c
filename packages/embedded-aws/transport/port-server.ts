import type { MessagePort } from 'node:worker_threads';
import { CarriedRequest } from './carried-request.ts';
import { CarriedResponse, type ResponseSink } from './carried-response.ts';
import type { CarriedHeaders, Serve } from './http.ts';
import { alone, type ClientMessage, type ServerMessage } from './port-messages.ts';

interface Exchange {
  request: CarriedRequest;
  response: CarriedResponse;
  sink: PortSink;
}

/** Serves the requests that come over a message port. When the port closes, it aborts every open exchange. */
export function servePort(port: MessagePort, serve: Serve): void {
  const exchanges = new Map<number, Exchange>();
  port.on('message', (message: ClientMessage) => {
    if (message.type === 'request') begin(message);
    const exchange = exchanges.get(message.id);
    if (!exchange) return;
    if (message.type === 'piece') exchange.request.add(message.piece);
    else if (message.type === 'end') exchange.request.add(null);
    else if (message.type === 'next') exchange.sink.next();
    else if (message.type === 'abort') breakOff(exchange);
  });
  port.once('close', () => {
    for (const exchange of exchanges.values()) breakOff(exchange);
  });

  function begin({ id, head, body }: ClientMessage & { type: 'request' }): void {
    const sink = new PortSink(id, port);
    const onRoom =
      body === undefined ? () => port.postMessage({ type: 'next', id } satisfies ServerMessage) : undefined;
    const request = new CarriedRequest(head, onRoom);
    const response = new CarriedResponse(sink);
    exchanges.set(id, { request, response, sink });
    response.once('close', () => exchanges.delete(id));
    if (body !== undefined) {
      if (body.length > 0) request.add(body);
      request.add(null);
    }
    void serve(request, response);
  }
}

function breakOff({ request, response }: Exchange): void {
  // The reader of the body gets the error. If there is none, the error must not end the process.
  request.on('error', () => undefined);
  request.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
  response.destroy();
}

/** Sends a response over the port. A piece is sent when the client has read the previous one. */
class PortSink implements ResponseSink {
  readonly #id: number;
  readonly #port: MessagePort;
  #taken: (() => void) | undefined;

  constructor(id: number, port: MessagePort) {
    this.#id = id;
    this.#port = port;
  }

  whole(status: number, headers: CarriedHeaders, body: Buffer): void {
    this.#send({ type: 'response', id: this.#id, status, headers, body: alone(body) });
  }

  begin(status: number, headers: CarriedHeaders): void {
    this.#send({ type: 'response', id: this.#id, status, headers });
  }

  piece(piece: Buffer, taken: () => void): void {
    this.#taken = taken;
    this.#send({ type: 'piece', id: this.#id, piece: alone(piece) });
  }

  next(): void {
    const taken = this.#taken;
    this.#taken = undefined;
    taken?.();
  }

  end(): void {
    this.#send({ type: 'end', id: this.#id });
  }

  reset(): void {
    this.#send({ type: 'reset', id: this.#id });
  }

  #send(message: ServerMessage): void {
    this.#port.postMessage(message);
  }
}
