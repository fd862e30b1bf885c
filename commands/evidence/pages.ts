/** More than any order needs. Larger files are not read into memory. */
export const LARGEST_PAGE = 16 * 1024 * 1024;
const MOST_VALUES = 200_000;

/**
 * The value of a JSON file in an archive. An empty object of two bytes takes 56 in memory, so what separates values is counted first.
 * @returns undefined if it is no JSON, or was made to fill the memory.
 */
export function parsePage(bytes: Buffer): unknown {
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
