import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { Readable, Writable } from 'node:stream';

/** What a service reads of a request: Node's own `IncomingMessage`, or one that came without a socket. */
export interface AwsIncoming extends Readable {
  method?: string | undefined;
  /** Path and query. */
  url?: string | undefined;
  /** Names in lower case. */
  headers: IncomingHttpHeaders;
}

/** What a service writes of a response: Node's own `ServerResponse`, or one that goes without a socket. */
export interface AwsOutgoing extends Writable {
  readonly headersSent: boolean;
  setHeader(name: string, value: string | number): unknown;
  writeHead(status: number, headers?: OutgoingHttpHeaders): AwsOutgoing;
}

export type Serve = (request: AwsIncoming, response: AwsOutgoing) => void | Promise<void>;

/** Header names and values as they travel: names in lower case, one value each. */
export type CarriedHeaders = Record<string, string>;

export function carriedHeaders(headers: object): CarriedHeaders {
  const entries = Object.entries(headers).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value)]));
}
