import { readFileSync, statSync } from 'node:fs';

/** A mebibyte. YAML of ten takes half a minute. */
const MOST_BYTES = 2 ** 20;

/**
 * The text of a file that a setting or a command names.
 * @throws Error that says what is wrong with it.
 */
export function textOf(path: string, mostBytes = MOST_BYTES): string {
  const found = attempted(() => statSync(path));
  // Reading a pipe or a device may never end.
  if (!found.isFile()) throw new Error('it is not a file');
  if (found.size > mostBytes) throw new Error(`it has more than ${mostBytes / 2 ** 20} MiB`);
  const bytes = attempted(() => readFileSync(path));
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    // UTF-16 without a byte order mark is valid UTF-8 with many NULs.
    if (!text.includes('\0')) return text;
  } catch {}
  throw new Error('it is not text in UTF-8');
}

function attempted<Result>(look: () => Result): Result {
  try {
    return look();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(code === 'ENOENT' ? 'it does not exist' : `the file system says ${code}`);
  }
}
