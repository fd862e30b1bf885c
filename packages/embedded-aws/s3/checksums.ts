import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { crc32 } from 'node:zlib';

/** A checksum: the algorithm in lower case, as in headers, and the value in Base64. */
export interface Checksum {
  algorithm: string;
  value: string;
  /** COMPOSITE: a checksum of the parts' checksums, with `-<parts>` appended. */
  type: 'FULL_OBJECT' | 'COMPOSITE';
}

/** Computes a checksum incrementally. `digest` returns the raw bytes. */
interface RunningChecksum {
  update(chunk: Buffer): unknown;
  digest(): Buffer;
}

const HEADER = /^x-amz-checksum-(crc32|crc32c|crc64nvme|sha1|sha256)$/;

/** The checksum algorithm of a request, from its checksum header or `x-amz-trailer`. */
export function announcedAlgorithm(headers: IncomingHttpHeaders): string | undefined {
  for (const name of [...Object.keys(headers), ...String(headers['x-amz-trailer'] ?? '').split(',')]) {
    const algorithm = HEADER.exec(name.trim().toLowerCase())?.[1];
    if (algorithm) return algorithm;
  }
  return undefined;
}

/** Undefined for CRC32C and CRC64NVME, which Node cannot compute: these are stored without verification. */
export function runningChecksum(algorithm: string | undefined): RunningChecksum | undefined {
  if (algorithm === 'crc32') return runningCrc32();
  if (algorithm !== 'sha1' && algorithm !== 'sha256') return undefined;
  return createHash(algorithm);
}

function runningCrc32(): RunningChecksum {
  let value = 0;
  return {
    update: (chunk) => {
      value = crc32(chunk, value);
    },
    digest: () => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(value);
      return bytes;
    },
  };
}

/** The checksum of a multipart object, or undefined if a part has no checksum. */
export function compositeChecksum(parts: (Checksum | undefined)[]): Checksum | undefined {
  const algorithm = parts[0]?.algorithm;
  const whole = runningChecksum(algorithm);
  if (!algorithm || !whole) return undefined;
  for (const part of parts) {
    if (part?.algorithm !== algorithm) return undefined;
    whole.update(Buffer.from(part.value, 'base64'));
  }
  return { algorithm, value: `${whole.digest().toString('base64')}-${parts.length}`, type: 'COMPOSITE' };
}

export function checksumHeaders(checksum: Checksum | undefined): Record<string, string> {
  if (!checksum) return {};
  return { [`x-amz-checksum-${checksum.algorithm}`]: checksum.value, 'x-amz-checksum-type': checksum.type };
}

/** The checksum as XML elements: `ChecksumCRC32`, `ChecksumType`. */
export function checksumElements(checksum: Checksum | undefined): Record<string, string> {
  if (!checksum) return {};
  return { [`Checksum${checksum.algorithm.toUpperCase()}`]: checksum.value, ChecksumType: checksum.type };
}
