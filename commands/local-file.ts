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
    throw refusalOfRead(path, error);
  }
}

/** A failure to read a local file in words. Any other error is returned as it is. */
export function refusalOfRead(path: string, error: unknown, nothing = 'nothing was done'): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return error;
  if (code === 'ENOENT') return new Refusal(`File ${path} does not exist: ${nothing}.`);
  return new Refusal(`${path} can't be read (${code}): ${nothing}.`);
}
