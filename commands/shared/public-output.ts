import { fstatSync } from 'node:fs';

/** Whether standard output is a file that other users of this machine may read. Windows has no such modes. */
export function isOutputPublic(): boolean {
  const found = fstatSync(process.stdout.fd);
  return process.getuid !== undefined && found.isFile() && (found.mode & 0o044) !== 0;
}
