import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Build, Bundle } from './build.ts';

/** The first line of a cache file, after the hash of everything that follows. */
interface Header {
  /** What the build depends on besides its inputs: options and versions. */
  settings: string;
  /** SHA-256 of every input, by path. */
  inputs: Record<string, string>;
  /** The contents that follow the header, in this order. */
  files: { name: string; file: string; bytes: number }[];
}

const HASH_LENGTH = 64;

/** Cache files of one kind. Copies of the project that share a node_modules have files of their own, and so has each stage's assembly. */
const MAX_KEPT = 8;

export const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');

/** The cached bundles, if they are intact and none of their inputs has changed. */
export function readKept(path: string, settings: string, root: string): Record<string, Bundle> | undefined {
  const content = readIfThere(path);
  if (!content) return undefined;
  const kept = content.subarray(HASH_LENGTH);
  if (sha256(kept) !== content.toString('latin1', 0, HASH_LENGTH)) return undefined;
  const end = kept.indexOf('\n');
  const header = JSON.parse(kept.toString('utf8', 0, end)) as Header;
  if (header.settings !== settings) return undefined;
  for (const [input, hash] of Object.entries(header.inputs)) {
    const now = readIfThere(resolve(root, input));
    if (!now || sha256(now) !== hash) return undefined;
  }
  markUsed(path);
  return unpack(header.files, kept.subarray(end + 1));
}

/**
 * Caches a build that started at `startedAt` (Unix milliseconds), if the folder is writable. Two processes may do so at once: each
 * renames its own file, so that readers see one of them complete.
 */
export function keep(
  path: string,
  settings: string,
  root: string,
  { bundles, inputs }: Build,
  startedAt: number,
): void {
  const paths = inputs.map((input) => resolve(root, input));
  // An input that was saved since the build started may not be the one that was built.
  if (paths.some((input) => statSync(input).ctimeMs >= startedAt)) return;
  const files = Object.entries(bundles).flatMap(([name, bundle]) =>
    Object.entries(bundle).map(([file, content]) => ({ name, file, content })),
  );
  const header: Header = {
    settings,
    inputs: Object.fromEntries(inputs.map((input, index) => [input, sha256(readFileSync(paths[index] as string))])),
    files: files.map(({ name, file, content }) => ({ name, file, bytes: content.length })),
  };
  const kept = Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), ...files.map(({ content }) => content)]);
  const part = `${path}.${process.pid}.part`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(part, Buffer.concat([Buffer.from(sha256(kept)), kept]));
    renameSync(part, path);
    removeOldest(path);
  } catch {
    // A read-only node_modules or a full disk. The build itself is good; the next start builds again.
    if (existsSync(part)) rmSync(part);
  }
}

/** Updates the file's time, so that the least recently used file is removed first. */
function markUsed(path: string): void {
  try {
    utimesSync(path, new Date(), new Date());
  } catch {
    // A read-only node_modules: nothing is removed there either.
  }
}

/** Removes the oldest files of the same kind. The kind is the name up to the first dash. */
function removeOldest(path: string): void {
  const directory = dirname(path);
  const kind = /^[^-]*-/.exec(basename(path))?.[0] ?? basename(path);
  const paths = readdirSync(directory)
    .filter((name) => name.startsWith(kind))
    .map((name) => join(directory, name));
  const byAge = paths.toSorted((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs);
  for (const path of byAge.slice(MAX_KEPT)) rmSync(path, { force: true });
}

function unpack(files: Header['files'], content: Uint8Array): Record<string, Bundle> {
  const bundles: Record<string, Bundle> = {};
  let start = 0;
  for (const { name, file, bytes } of files) {
    bundles[name] = { ...bundles[name], [file]: content.subarray(start, start + bytes) };
    start += bytes;
  }
  return bundles;
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (['ENOENT', 'EACCES', 'EISDIR', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return undefined;
    throw error;
  }
}
