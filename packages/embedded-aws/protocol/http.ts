import type { IncomingMessage, ServerResponse } from 'node:http';
import { AwsError } from './errors.ts';

/** Answers one request. */
export type Serve = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** The largest request that any service but S3 accepts. Bytes. */
const LARGEST_BODY = 16 * 1024 * 1024;

/** The bodies that have been read, since a stream can be read only once. */
const bodies = new WeakMap<IncomingMessage, Buffer>();

/** Reads a request's body; a second call returns the same body. Throws an AwsError (413) if the body is too large. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const known = bodies.get(request);
  if (known) return known;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > LARGEST_BODY) throw new AwsError('RequestTooLarge', 'The request is larger than 16 MiB.', 413);
    chunks.push(chunk as Buffer);
  }
  const body = Buffer.concat(chunks);
  bodies.set(request, body);
  return body;
}

/** The access key that signed the request, or an empty string. */
export function accessKeyOf({ headers }: IncomingMessage): string {
  return /Credential=([^/]+)\//.exec(headers.authorization ?? '')?.[1] ?? '';
}
