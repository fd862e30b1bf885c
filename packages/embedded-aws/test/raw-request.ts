import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** Sends a request with exactly these headers. With `fetch`, `host` and `origin` cannot be chosen. */
export async function rawRequest(
  url: string,
  {
    method = 'GET',
    headers = {},
    body = '',
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<{ status: number | undefined; text: string }> {
  const sent = request(url, { method, headers });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode, text: await text(response) };
}

/** Requests of others than programs of this machine: who made them, and their headers. */
export const foreign: [string, Record<string, string>][] = [
  ['by a web page', { origin: 'https://example.com' }],
  ['by a web page that hides its origin', { origin: 'null' }],
  ['by a web page of another program on this machine', { origin: 'http://localhost:3000' }],
  ['by an image, a script or a frame of a web page', { 'sec-fetch-site': 'cross-site' }],
  ['under a host name that resolves to this machine', { host: 'rebound.example.com' }],
  ['under a host name that only begins like the name of this machine', { host: 'localhost.example.com:80' }],
  ['under another address', { host: '169.254.169.254' }],
];

/** Requests under each name of this machine. */
export const own = (url: string): [string, Record<string, string>][] => [
  ['its address', {}],
  ['localhost', { host: `localhost:${new URL(url).port}` }],
  ['LOCALHOST', { host: 'LOCALHOST' }],
];
