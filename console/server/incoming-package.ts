import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Refusal } from '../../commands/shared/text.ts';

const LONGEST_PATH = 300;
const NO_NAME = ['ENAMETOOLONG', 'EISDIR', 'ENOTDIR', 'EEXIST', 'ENOTEMPTY', 'EINVAL', 'EILSEQ'];

/** Stores a file of a package in its folder. Throws a Refusal if it cannot be a file of it, or be stored. */
export async function storeFile(folder: string, path: string, content: Readable): Promise<void> {
  const segments = path.split('/');
  const isInside = segments.every((segment) => !/^\.{0,2}$|[\\\0]/.test(segment));
  if (!isInside || path.length > LONGEST_PATH) throw new Refusal(`${path} cannot be a file of a package.`);
  const file = join(folder, ...segments);
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await pipeline(content, createWriteStream(file, { mode: 0o600, flags: 'wx' }));
  } catch (error) {
    const { code = '', syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    // The words of the file system have the name of our temporary folder.
    if (NO_NAME.includes(code)) throw new Refusal(`${path} cannot be a file of this package (${code}).`);
    throw new Refusal(`${path} cannot be kept on the console's machine (${code}). Nothing was submitted.`);
  }
}
