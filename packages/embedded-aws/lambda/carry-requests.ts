import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { MessagePort } from 'node:worker_threads';
import { PortClient } from '../transport/port-client.ts';

/**
 * Sends requests to the embedded AWS over a message port instead of a socket. This patches `node:http`, because the SDK in a
 * bundle creates its own request handler, and `node:http` is what all clients share. Other requests use a socket as usual.
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
