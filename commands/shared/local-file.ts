import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { type FileHandle, link, lstat, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { constants } from 'node:os';
import { basename, dirname, join, relative, sep } from 'node:path';
import { refusal } from './refusals.ts';
import { Refusal } from './text.ts';

/** Reads a local file that the command line names. Throws a Refusal when it can't be read. */
export async function readLocalFile(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new Refusal(`File ${path} does not exist: nothing was done.`);
    throw new Refusal(`${path} can't be read (${code}): nothing was done.`);
  }
}

/** @throws Refusal when the file can't be read, or is not JSON. */
export async function readLocalJson(path: string, nothing = ''): Promise<{ text: string; value: unknown }> {
  const text = new TextDecoder().decode(await readLocalFile(path));
  try {
    return { text, value: JSON.parse(text) };
  } catch {
    throw new Refusal(`${path} is not JSON${nothing}.`);
  }
}

/** The sorted paths of all files and links below a folder, with `/`. Reading a pipe or a device may never end. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}

/** Whether a file below a folder is a link, or in a folder that is one. Then its content may be any file of this machine. */
export async function isLinked(folder: string, file: string): Promise<boolean> {
  const steps = file.split('/');
  const found = await Promise.all(steps.map((_, last) => lstat(join(folder, ...steps.slice(0, last + 1)))));
  return found.some((step) => step.isSymbolicLink());
}

/** Opens the file `name` of a package. Throws a Refusal if it has become a link since it was checked. */
export async function openUnlinked(path: string, name: string): Promise<FileHandle> {
  const file = await open(path);
  if (!(await isLinked(path.slice(0, -name.length), name))) return file;
  await file.close();
  throw new Refusal(`${name} is a link now, or in a folder that is one: it was not sent.`);
}

/** A sentence about a failure to write a local file, with the path that the user knows. Any other error is returned as it is. */
export function refusalOfFile(error: unknown, shown: string, nothing = 'it was not saved'): unknown {
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  if (error instanceof Refusal || code === undefined || path === undefined || syscall === undefined) return error;
  return refusal('notWritten', { file: shown, code, nothing });
}

/** Makes the folder and its parents if they do not exist. Throws a Refusal when it cannot be made, or a file has its name. */
export async function makeFolder(folder: string, nothing = 'nothing was saved'): Promise<void> {
  try {
    await make(folder);
  } catch (error) {
    const { code, path = folder } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new Refusal(`${path} is not a folder: ${nothing}.`);
    throw refusalOfFile(error, folder, nothing);
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

export interface WriteOptions {
  /** How refusals describe the file. */
  nothing?: string;
  /** Whether this process must survive signals. Default: a signal ends the command. */
  isServer?: boolean;
  /** The file's name in a refusal. Default: its path. */
  shown?: string;
}

/**
 * Writes a new file. Until it is complete, its name ends with `.part`. An existing file is never overwritten, and an unfinished file is
 * removed.
 * @throws Refusal when the file cannot be written.
 */
export async function writeWhole<Facts>(
  path: string,
  { nothing = 'it was not saved', isServer = false, shown = path }: WriteOptions,
  fill: (write: (chunk: Uint8Array) => Promise<void>) => Promise<Facts>,
): Promise<Facts> {
  const part = join(dirname(path), `.${basename(path)}.${randomUUID().slice(0, 8)}.part`);
  const ignoreSignals = isServer ? undefined : removeWhenStopped(part, nothing);
  // Node's error for an open file has no path, and neither has a network error.
  const named = (work: Promise<void>) =>
    work.catch((error: Error) => {
      throw Object.assign(error, { path });
    });
  try {
    const file = await open(part, 'wx', 0o600);
    const write = async () => {
      const facts = await fill((chunk) => named(file.writeFile(chunk)));
      await named(file.sync());
      return facts;
    };
    const facts = await write().finally(() => file.close());
    await putInPlace(part, path);
    return facts;
  } catch (error) {
    throw refusalOfFile(error, shown, nothing);
  } finally {
    await rm(part, { force: true });
    ignoreSignals?.();
  }
}

/** A link fails if the name is now in use; a rename would overwrite. Some file systems have no links. */
async function putInPlace(part: string, path: string): Promise<void> {
  try {
    await link(part, path);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new Refusal('A file of that name appeared meanwhile: it was not overwritten.');
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(code)) throw error;
    await rename(part, path);
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A signal removes the unfinished file or folder, and ends the command as shells expect. Returns a function that stops this. */
export function removeWhenStopped(part: string, nothing: string): () => void {
  const stop = (signal: (typeof SIGNALS)[number]) => {
    rmSync(part, { force: true, recursive: true });
    process.stderr.write(`\nStopped: ${nothing}. Repeat the command.\n`);
    process.exit(128 + constants.signals[signal]);
  };
  // A second signal must not end the process before the file is removed.
  for (const signal of SIGNALS) process.on(signal, stop);
  return () => {
    for (const signal of SIGNALS) process.removeListener(signal, stop);
  };
}
