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

/** What a kept build stands under: first line of the file, after the hash of all that follows. */
interface Header {
  /** Whatever has a say in the build beside its inputs: options, versions. */
  settings: string;
  /** SHA-256 of every input, by its path. */
  inputs: Record<string, string>;
  /** What follows the header, one after the other. */
  files: { name: string; file: string; bytes: number }[];
}

const HASH_LENGTH = 64;

/** Of one kind: each stage may have one, and copies of the project that share a node_modules. */
const MOST_KEPT = 8;

export const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');

/** The bundles that were kept, if they are whole and nothing that they were made of has changed. */
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
 * Keeps a build that began at `startedAt` (Unix milliseconds). Two processes may keep at once: each renames a file of its own, and
 * readers see one of them, whole. Where nothing can be written, nothing is kept.
 */
export function keep(
  path: string,
  settings: string,
  root: string,
  { bundles, inputs }: Build,
  startedAt: number,
): void {
  const paths = inputs.map((input) => resolve(root, input));
  // What was saved since the build began may not be what was built.
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
    // Nothing can be kept in a read-only node_modules or on a full disk. The build itself is good, and is made again next time.
    if (existsSync(part)) rmSync(part);
  }
}

/** What was used last is removed last. */
function markUsed(path: string): void {
  try {
    utimesSync(path, new Date(), new Date());
  } catch {
    // A read-only node_modules: nothing is removed there either.
  }
}

/** Of what begins with the same word, up to the first dash. */
function removeOldest(path: string): void {
  const directory = dirname(path);
  const kind = /^[^-]*-/.exec(basename(path))?.[0] ?? basename(path);
  const paths = readdirSync(directory)
    .filter((name) => name.startsWith(kind))
    .map((name) => join(directory, name));
  const byAge = paths.toSorted((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs);
  for (const path of byAge.slice(MOST_KEPT)) rmSync(path, { force: true });
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
