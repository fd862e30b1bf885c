/** File names that need no encoding in file systems, in S3 and in the service's multipart header. */
export const FILE = /^documents\/[A-Za-z0-9][A-Za-z0-9._-]*(\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/;

export const LONGEST_FILE = 256;

/** Whether a document's file may have this name. */
export function isFileName(file: unknown): file is string {
  return typeof file === 'string' && file.length <= LONGEST_FILE && FILE.test(file);
}
