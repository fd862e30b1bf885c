/** A manifest of 10,000 files with usual names has 6 MB. Larger files are not read into memory. */
export const LARGEST_PAGE = 8 * 1024 * 1024;
const MOST_VALUES = 200_000;

/**
 * The value of a JSON file in an archive. An empty object of two bytes takes 56 in memory, so what separates values is counted first.
 * @returns undefined if it is no JSON, is too large, or was made to fill the memory.
 */
export function parsePage(bytes: Buffer): unknown {
  if (bytes.length > LARGEST_PAGE) return undefined;
  let values = 0;
  for (let at = 0; at < bytes.length; at += 1) if (SEPARATORS.has(bytes[at] ?? 0)) values += 1;
  if (values > MOST_VALUES) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

const SEPARATORS = new Set([...',[{'].map((one) => one.charCodeAt(0)));
