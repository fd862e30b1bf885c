import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { MessagePort } from 'node:worker_threads';
import { PortClient } from '../transport/port-client.ts';

/**
 * Carries the requests that `node:http` is asked to make to the embedded AWS over a message port; every other request takes a socket.
 * The SDK in a bundle makes its own request handler, out of settings: the module below it is the place that all clients share.
 */
export function carryRequests({ host, port }: { host: string; port: MessagePort }): void {
  const client = new PortClient(port);
  const { request } = http;
  const carried = (...given: unknown[]) => {
    const [options, onResponse] = given as [RequestOptions, (response: IncomingMessage) => void];
    const isOurs = typeof options === 'object' && `${options.host}:${options.port}` === host;
    return isOurs ? client.request(options, onResponse) : Reflect.apply(request, http, given);
  };
  http.request = carried as unknown as typeof request;
  syncBuiltinESMExports();
}
