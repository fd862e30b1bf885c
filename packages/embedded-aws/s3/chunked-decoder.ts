import { Transform, type TransformCallback } from 'node:stream';

/** Enough for a chunk size and a chunk signature of 64 characters. */
const LONGEST_LINE = 16 * 1024;

/** Thrown if the chunk framing is wrong or the body ends before its last chunk. */
export class ChunkFramingError extends Error {
  override name = 'ChunkFramingError';
}

type Expecting = 'size' | 'data' | 'end-of-data' | 'trailer' | 'nothing';

/**
 * Decodes `aws-chunked`: `<size in hex>[;chunk-signature=…]\r\n<data>\r\n … 0\r\n[trailer: value\r\n]\r\n`.
 * Signatures are not verified. `trailers` has the trailers by lower-case name.
 */
export class ChunkedDecoder extends Transform {
  readonly trailers = new Map<string, string>();
  #expecting: Expecting = 'size';
  #line = '';
  #left = 0;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, callback: TransformCallback): void {
    try {
      let offset = 0;
      while (offset < chunk.length) {
        offset = this.#expecting === 'data' ? this.#takeData(chunk, offset) : this.#takeLine(chunk, offset);
      }
      callback();
    } catch (error) {
      callback(error as Error);
    }
  }

  override _flush(callback: TransformCallback): void {
    // The CLI ends a body without trailers with "0\r\n" and an empty line, which some clients omit.
    const whole = this.#expecting === 'nothing' || (this.#expecting === 'trailer' && this.#line === '');
    callback(whole ? null : new ChunkFramingError('The body ended before its last chunk.'));
  }

  #takeData(chunk: Buffer, offset: number): number {
    const end = Math.min(chunk.length, offset + this.#left);
    this.push(chunk.subarray(offset, end));
    this.#left -= end - offset;
    if (this.#left === 0) this.#expecting = 'end-of-data';
    return end;
  }

  #takeLine(chunk: Buffer, offset: number): number {
    const lineFeed = chunk.indexOf(0x0a, offset);
    const end = lineFeed === -1 ? chunk.length : lineFeed;
    this.#line += chunk.toString('latin1', offset, end);
    if (this.#line.length > LONGEST_LINE) throw new ChunkFramingError('A line between chunks is too long.');
    if (lineFeed === -1) return chunk.length;
    const line = this.#line.endsWith('\r') ? this.#line.slice(0, -1) : this.#line;
    this.#line = '';
    this.#readLine(line);
    return lineFeed + 1;
  }

  #readLine(line: string): void {
    if (this.#expecting === 'size') {
      const size = line.split(';', 1)[0] ?? '';
      if (!/^[0-9a-f]+$/i.test(size)) throw new ChunkFramingError(`"${line.slice(0, 40)}" is not a chunk size.`);
      this.#left = Number.parseInt(size, 16);
      this.#expecting = this.#left === 0 ? 'trailer' : 'data';
    } else if (this.#expecting === 'end-of-data') {
      if (line !== '') throw new ChunkFramingError('A chunk is longer than its size says.');
      this.#expecting = 'size';
    } else if (this.#expecting === 'trailer' && line === '') {
      this.#expecting = 'nothing';
    } else if (this.#expecting === 'trailer') {
      const colon = line.indexOf(':');
      if (colon === -1) throw new ChunkFramingError(`"${line.slice(0, 40)}" is not a trailer.`);
      this.trailers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
    } else if (line !== '') {
      throw new ChunkFramingError('The body continues after its last chunk.');
    }
  }
}
