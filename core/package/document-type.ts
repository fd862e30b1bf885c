import { lookup } from 'mrmime';

/** What S3 and tools give any file: AWS's default, RFC 2046 (4.5.1), curl and forms. */
const GENERIC = ['', 'binary/octet-stream', 'application/octet-stream', 'application/x-www-form-urlencoded'];

/** The content type that the order service gets with a document: the upload's or, if that says nothing, the one of the file's extension. */
export function documentType(file: string, uploaded: string): string {
  const isGeneric = GENERIC.includes(uploaded.split(';', 1).join().trim().toLowerCase());
  return isGeneric ? (lookup(file) ?? 'application/octet-stream') : uploaded;
}
