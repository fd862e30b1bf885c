import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { Readable, Writable } from 'node:stream';

/** The request that a service reads: Node's `IncomingMessage`, or one without a socket. */
export interface AwsIncoming extends Readable {
  method?: string | undefined;
  /** Path and query. */
  url?: string | undefined;
  /** Names in lower case. */
  headers: IncomingHttpHeaders;
}

/** The response that a service writes: Node's `ServerResponse`, or one without a socket. */
export interface AwsOutgoing extends Writable {
  readonly headersSent: boolean;
  setHeader(name: string, value: string | number): unknown;
  writeHead(status: number, headers?: OutgoingHttpHeaders): AwsOutgoing;
}

export type Serve = (request: AwsIncoming, response: AwsOutgoing) => void | Promise<void>;

/** Headers with lower-case names and one value each. */
export type CarriedHeaders = Record<string, string>;

export function carriedHeaders(headers: object): CarriedHeaders {
  const entries = Object.entries(headers).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value)]));
}

/** The access key that signed the request, or an empty string. */
export function accessKeyOf({ headers }: AwsIncoming): string {
  return /Credential=([^/]+)\//.exec(headers.authorization ?? '')?.[1] ?? '';
}
