import { safePaths } from './contents.ts';

/** Something that is wrong with an archive. */
export interface ArchiveFault {
  /** The file of the archive; undefined for the archive as a whole. */
  file?: string;
  /** What happened, in the words of docs/evidence.md. */
  fault:
    | 'not as it was packed'
    | 'unsafe name'
    | 'changed'
    | 'removed'
    | 'added'
    | 'manifest unreadable'
    | 'manifest signature missing'
    | 'manifest signature wrong'
    | 'certificate wrong'
    | 'detached signature wrong';
  /** The same in a sentence. */
  message: string;
}

/** The names that no archive of ours has: some file system does not take them, or not beside each other. */
export function nameFaults(paths: readonly string[]): ArchiveFault[] {
  const places = paths.map((path) => {
    const at = path.lastIndexOf('/');
    return { folder: path.slice(0, Math.max(0, at)), name: path.slice(at + 1) };
  });
  const safe = safePaths(places);
  const wrong = paths.filter((path, at) => path !== safe[at] || !/^([\w-]+\/)*[^/]+$/.test(path));
  const message = 'Do not unpack it: it could end up outside of the folder, or replace another file.';
  return wrong.map((file) => ({ file, fault: 'unsafe name', message }));
}
