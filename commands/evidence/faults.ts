import { RESERVED } from '../documents/file-names.ts';

/** Something that is wrong with an archive. */
export interface Fault {
  /** The file of the archive; undefined for the archive as a whole. */
  file?: string;
  /** What happened, in the words of docs/evidence.md. */
  fault:
    | 'not as it was packed'
    | 'unsafe name'
    | 'name twice'
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

/** Two paths that some file system takes for the same have the same folded one. */
export function folded(path: string): string {
  return path.normalize('NFC').toUpperCase().toLowerCase();
}

/** What is wrong with the names of files that are unpacked into one folder, on any file system. No archive is written with such names. */
export function pathFaults(paths: readonly string[]): Fault[] {
  const faults: Fault[] = paths
    .filter((path) => !path.split('/').every(isSafe))
    .map((file) => ({
      file,
      fault: 'unsafe name',
      message: 'Do not unpack it: it could end up outside of the folder.',
    }));
  // What is below a folder comes right after its name, because no character comes before this separator.
  const names = paths.map((file) => ({ file, name: folded(file).replaceAll('/', '\0') }));
  names.sort((one, other) => (one.name < other.name ? -1 : Number(one.name > other.name)));
  for (const [at, { file, name }] of names.entries()) {
    const before = names[at - 1]?.name;
    if (before !== undefined && `${name}\0`.startsWith(`${before}\0`))
      faults.push({ file, fault: 'name twice', message: 'Another file has this name, or that of its folder.' });
  }
  return faults;
}

/** Whether every file system takes this part of a path, and none leaves the folder with it. */
function isSafe(part: string): boolean {
  return !/^$|[. ]$|[\\:*?"<>|\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(part) && !isReserved(part);
}

/** Whether Windows takes the name for a device. */
export function isReserved(name: string): boolean {
  return RESERVED.test(name.split('.', 1)[0]?.trim() ?? '');
}
