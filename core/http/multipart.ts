import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';

/** A file to upload. It can be opened again if the call is repeated with a new token. */
export interface FileSource {
  name: string;
  contentType: string;
  /** Bytes. The request's Content-Length is computed from it. */
  size: number;
  open(): Promise<Readable>;
}

/**
 * Creates a `multipart/form-data` body with one file (RFC 7578), streamed with backpressure. A library would be larger than
 * the function that uses it.
 * @param charset of the text fields, for services that read them as Latin-1 if no content type names it (RFC 7578, 5.1.2).
 */
export async function multipartBody(
  fields: Record<string, string>,
  fileField: string,
  file: FileSource,
  charset: 'none' | 'utf-8',
): Promise<{ headers: Record<string, string | number>; body: Readable }> {
  const boundary = `----${randomBytes(24).toString('hex')}`;
  const type = charset === 'none' ? '' : `Content-Type: text/plain; charset=${charset}\r\n`;
  const parts = Object.entries(fields).map(
    ([name, value]) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"\r\n${type}\r\n${value}\r\n`,
  );
  const disposition = `Content-Disposition: form-data; name="${quoted(fileField)}"; filename="${quoted(file.name)}"`;
  parts.push(`--${boundary}\r\n${disposition}\r\nContent-Type: ${headerValue(file.contentType)}\r\n\r\n`);
  const head = Buffer.from(parts.join(''), 'utf8');
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`, 'utf8');
  const source = await file.open();
  return {
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': head.length + file.size + tail.length,
    },
    body: Readable.from(framed(head, source, tail), { objectMode: false }),
  };
}

async function* framed(head: Buffer, source: Readable, tail: Buffer): AsyncGenerator<Buffer> {
  yield head;
  yield* source;
  yield tail;
}

/** Percent-encodes quotes and line breaks, as browsers do (WHATWG HTML, multipart/form-data encoding). */
const quoted = (text: string): string => text.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');

/** Replaces a content type that a header cannot carry. It comes from the uploader, and a line break in it would add a header. */
const headerValue = (text: string): string => (/^[\x20-\x7e]+$/.test(text) ? text : 'application/octet-stream');
