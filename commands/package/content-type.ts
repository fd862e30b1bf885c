import { lookup } from 'mrmime';

/** The content type of a file by its name. The order service gets it with each document. */
export function contentTypeOf(file: string): string {
  return lookup(file) ?? 'application/octet-stream';
}
