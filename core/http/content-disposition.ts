/** Characters. Longer names are cut: no file system takes them. */
const LONGEST_NAME = 1_000;

/**
 * The file name of a `Content-Disposition` header (RFC 6266), as the other side wrote it. It may be anything: whoever makes a file of it
 * must make it safe first. Undefined if there is none.
 */
export function fileNameIn(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const name = extendedName(header) ?? plainName(header);
  if (name === undefined || name === '') return undefined;
  // By whole characters: DynamoDB takes no half of one.
  return [...name.toWellFormed()].slice(0, LONGEST_NAME).join('');
}

/** `filename*=UTF-8''%D0%B4.pdf` (RFC 8187). It counts before the other one. */
function extendedName(header: string): string | undefined {
  const encoded = /;\s*filename\*\s*=\s*UTF-8'[^']*'([^;\s]+)/i.exec(header)?.[1];
  try {
    return encoded && decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

/** `filename="a.pdf"` or `filename=a.pdf`. Node reads headers as Latin-1, and many services send UTF-8. */
function plainName(header: string): string | undefined {
  const [, inQuotes, token] = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s"]+))/i.exec(header) ?? [];
  const text = inQuotes?.replaceAll(/\\(.)/g, '$1') ?? token;
  if (text === undefined) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'latin1'));
  } catch {
    return text;
  }
}
