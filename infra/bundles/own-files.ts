import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Content by the path of a file in its folder. */
export type Files = Record<string, string | Uint8Array>;

/** The files that a synth reads or writes. `--output` may name a folder that also has other files. */
const OF_ASSEMBLY =
  /^(asset\.[0-9a-f]{64}.*|\.(hotswap-)?cache|cdk\.out|(manifest|tree|performance-counters|validation-report)\.json|.+\.(assets|metadata|template)\.json)$/;

/** Starts an assembly: removes an existing one, which other users may have changed, and protects the new one from them. */
export function beginAssembly(folder: string): void {
  process.umask(0o022);
  makeFolder(folder);
  const left = readdirSync(folder).filter((name) => OF_ASSEMBLY.test(name));
  for (const name of left) rmSync(join(folder, name), { recursive: true, force: true });
}

/** Writes new files that only this user can change, whatever the umask. All users can read them: Lambda needs these modes in a ZIP. */
export function writeFiles(folder: string, files: Files, mode = 0o644): void {
  for (const [file, content] of Object.entries(files)) {
    const path = join(folder, file);
    makeFolder(dirname(path));
    rmSync(path, { recursive: true, force: true });
    writeFileSync(path, content, { flag: 'wx', mode });
    chmodSync(path, mode);
  }
}

function makeFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o755 });
  if (!isOwn(path, 0)) throw new Error(`${path} belongs to another user: remove it, or use another folder.`);
  chmodSync(path, 0o755);
}

/** Creates an empty folder that only this user can read. Removes what others may have put there. */
export function makePrivate(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (isOwn(path)) return;
  rmSync(path, { recursive: true });
  mkdirSync(path, { mode: 0o700 });
}

/** Whether it belongs to this user, and others have none of these permissions. Not checked on Windows. */
export function isOwn(path: string, denied = 0o077): boolean {
  const { uid, mode } = lstatSync(path);
  return process.getuid === undefined || (uid === process.getuid() && (mode & denied) === 0);
}
