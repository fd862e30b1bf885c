import { readFile } from 'node:fs/promises';
import { Refusal } from './refusal.ts';

/**
 * Reads a local file that the command line names.
 * @throws Refusal when it can't be read.
 */
export async function readLocalFile(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new Refusal(
      code === 'ENOENT'
        ? `File ${path} does not exist: nothing was done.`
        : `${path} can't be read (${code}): nothing was done.`,
    );
  }
}
