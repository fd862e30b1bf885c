import { isUtf8 } from 'node:buffer';
import { Duplex, pipeline, type Readable } from 'node:stream';
import { likeIdentifier } from '../bounded.ts';
import { describe, HttpFailure, type HttpResponse } from './http.ts';

// Loaded when it is needed, which is rare.
const zlib = () => process.getBuiltinModule('node:zlib');
/** Otherwise Node ignores what follows the end, but for `gzip`, which may have several parts. */
const STRICT: object = { rejectGarbageAfterEnd: true };

/** The codings that are undone (RFC 9110, 8.4.1; RFC 7932). */
const DECODERS = new Map<string, () => Duplex>([
  ['gzip', () => zlib().createGunzip()],
  ['br', () => zlib().createBrotliDecompress(STRICT)],
  ['deflate', () => Duplex.from(inflated)],
]);

/** Some servers leave out the wrapper that the RFC requires. Its first byte ends in 8 (RFC 1950, 2.2). */
async function* inflated(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  const { value: first = Buffer.alloc(0) } = await chunks.next();
  const all = async function* () {
    yield first;
    yield* { [Symbol.asyncIterator]: () => chunks };
  };
  const decoder = first[0] % 16 === 8 ? zlib().createInflate(STRICT) : zlib().createInflateRaw(STRICT);
  yield* pipeline(all, decoder, ignored);
}

/** Whoever reads the last stream of a pipeline gets its error. */
const ignored = () => undefined;

/**
 * The body, decoded as it is read, so that limits count decoded bytes. We ask for no coding, but gateways compress all the same.
 * @returns `problem` continues the sentence "the service answered 200, but …" if the coding cannot be undone.
 */
export function uncoded({ headers, body }: HttpResponse): { body: Readable; isCoded: boolean; problem?: string } {
  const { 'content-encoding': content = '', 'transfer-encoding': transfer = '' } = headers;
  const all = `${content},${transfer}`.toLowerCase().match(/[^\s,][^,]*(?<!\s)/g) ?? [];
  const names = all.map((name) => name.replace(/^x-/, '')).filter((name) => !['identity', 'chunked'].includes(name));
  if (names.length === 0) return { body, isCoded: false };
  const decoder = DECODERS.get(names.join())?.();
  if (decoder) return { body: pipeline(body, decoder, ignored), isCoded: true };
  return { body, isCoded: true, problem: `its content-encoding ${names.map(shown).join(', ')} cannot be undone` };
}

/**
 * Reads at most `limit` decoded bytes of the body as text. With a `problem`, it is for people alone: what could not be decoded is U+FFFD.
 * @throws HttpFailure if the body is cut short.
 */
export async function readText(response: HttpResponse, limit: number) {
  const chunks: Buffer[] = [];
  const textSoFar = () => textOf(Buffer.concat(chunks).subarray(0, limit), response.headers['content-type']);
  const { body, problem } = uncoded(response);
  if (problem !== undefined) return { text: '', isWhole: true, problem };
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > limit) break;
    }
  } catch (error) {
    const what = `the response was cut short: ${describe(error as Error)}`;
    throw new HttpFailure(what, true, error, textSoFar().text);
  }
  return { ...textSoFar(), isWhole: size <= limit };
}

function textOf(bytes: Buffer, contentType: string | undefined): { text: string; problem?: string } {
  const charset = charsetOf(bytes, contentType);
  try {
    return { text: new TextDecoder(charset, { fatal: true }).decode(bytes) };
  } catch (error) {
    const problem =
      error instanceof RangeError ? `its charset ${shown(charset)} is unknown` : `it is not text in ${charset}`;
    return { text: bytes.toString('utf8'), problem };
  }
}

const shown = (name: string) => likeIdentifier(name) ?? '(not shown)';

/** By the byte order mark (Encoding Standard, 6.1). Else UTF-8 (RFC 8259, 8.1), whatever servers declare, if it may be. Else as declared. */
function charsetOf(bytes: Buffer, contentType = ''): string {
  const start = bytes.toString('hex', 0, 2);
  if (start === 'feff') return 'utf-16be';
  if (start === 'fffe') return 'utf-16le';
  const declared = /;\s*charset\s*=\s*["']?([^"';,\s]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  return isUtf8(bytes) && !bytes.includes(0) ? 'utf-8' : declared;
}
