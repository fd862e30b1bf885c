import { parse } from 'content-disposition';

/** Characters. Longer names are cut: no file system takes them. */
const LONGEST_NAME = 1_000;

/**
 * The file name of a `Content-Disposition` header (RFC 6266), as the server sent it. It may be anything: sanitize it before using it as a
 * file name. Undefined if there is none.
 */
export function fileNameIn(header: string | undefined): string | undefined {
  const { filename } = header === undefined ? {} : parse(header).parameters;
  if (!filename) return undefined;
  // By whole characters: DynamoDB takes no half of one.
  return [...readAsUtf8(filename).toWellFormed()].slice(0, LONGEST_NAME).join('');
}

/** Node reads headers as Latin-1, and many services send UTF-8. */
function readAsUtf8(text: string): string {
  const bytes = Buffer.from(text, 'latin1');
  // An encoded name (`filename*`) has other characters than Latin-1.
  if (bytes.toString('latin1') !== text) return text;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return text;
  }
}
