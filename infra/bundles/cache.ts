import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { isOwn, makePrivate } from './own-files.ts';

/** The content of a cache file. */
interface Kept<Content> {
  /** What else the content depends on: options and versions. */
  settings: string;
  /** SHA-256 of every input, by path. */
  inputs: Record<string, string>;
  content: Content;
}

export const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');

/** The cached content, if none of its inputs has changed. */
export function readKept<Content>(path: string, settings: string, root: string): Content | undefined {
  const kept = readCache<Content>(path);
  if (kept?.settings !== settings) return undefined;
  for (const [input, hash] of Object.entries(kept.inputs)) {
    const file = resolve(root, input);
    if (!statSync(file, { throwIfNoEntry: false })?.isFile() || sha256(readFileSync(file)) !== hash) return undefined;
  }
  return kept.content;
}

/** Undefined if the cache file is missing, unreadable, or may belong to another user. Then the content is built again. */
function readCache<Content>(path: string): Kept<Content> | undefined {
  try {
    const own = isOwn(dirname(path)) && isOwn(path);
    return own ? (deserialize(readFileSync(path)) as Kept<Content>) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Caches content that was built from the inputs since `startedAt` (Unix milliseconds), if the folder is writable. Each process renames its
 * own file, so readers never see an incomplete file.
 */
export function keepBundle(
  path: string,
  made: Pick<Kept<unknown>, 'settings' | 'content'>,
  root: string,
  inputs: readonly string[],
  startedAt: number,
): void {
  const files = inputs.map((input) => [input, resolve(root, input)] as const);
  // The content may come from an older version of an input that was saved since then.
  if (files.some(([, file]) => statSync(file).ctimeMs >= startedAt)) return;
  const hashes = Object.fromEntries(files.map(([input, file]) => [input, sha256(readFileSync(file))]));
  const part = `${path}.${process.pid}.part`;
  try {
    makePrivate(dirname(path));
    writeFileSync(part, serialize({ ...made, inputs: hashes } satisfies Kept<unknown>), { mode: 0o600 });
    renameSync(part, path);
  } catch {
    // node_modules is read-only, or the disk is full. The content is still valid, and the next start builds it again.
    if (existsSync(part)) rmSync(part);
  }
}
