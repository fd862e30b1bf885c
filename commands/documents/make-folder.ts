import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { refusalOfFile } from '../local-file.ts';
import { Refusal } from '../text.ts';

/**
 * Makes the folder and its parents if they do not exist.
 * @throws Refusal when it cannot be made, or a file has its name.
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await make(folder);
  } catch (error) {
    const { code, path = folder } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new Refusal(`${path} is not a folder: nothing was saved.`);
    throw refusalOfFile(error, folder, 'nothing was saved');
  }
}

/** Node's recursive `mkdir` never ends in a folder that cannot have subfolders, such as `/proc`. */
async function make(folder: string): Promise<void> {
  if (await isFolder(folder)) return;
  const above = dirname(folder);
  if (above !== folder) await make(above);
  await mkdir(folder).catch(async (error: Error) => {
    // Another command may have made it meanwhile.
    if (!(await isFolder(folder))) throw error;
  });
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
