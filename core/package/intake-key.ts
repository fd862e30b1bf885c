export type IntakePart =
  | { part: 'package'; folder: string }
  | { part: 'document'; folder: string; file: string }
  | { part: 'signature'; folder: string; fileId: string }
  /** An object below `signatures/` whose name is not `<fileId>.sig`. */
  | { part: 'misnamed-signature'; folder: string; name: string }
  | { part: 'decision'; folder: string };

/** Revocation lists that are replaced without a deployment. */
export const REVOCATION_LISTS = 'signing/revocation-lists.pem';

const ORDER_REF = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Whether the name may be an `orderRef`: 1-64 characters of `A-Z a-z 0-9 . _ -`, beginning with a letter or digit. */
export function isOrderRef(name: string): boolean {
  return ORDER_REF.test(name);
}

/** Parses a key of intake; undefined if the object is not part of any package. `folder` may not be a valid `orderRef`. */
export function intakePart(key: string): IntakePart | undefined {
  const match = /^orders\/([^/]+)\/(.+)$/s.exec(key);
  if (!match) return undefined;
  const [, folder, rest] = match as unknown as [string, string, string];
  if (rest === 'order.json') return { part: 'package', folder };
  if (rest === 'decision.json') return { part: 'decision', folder };
  if (rest.startsWith('documents/') && !rest.endsWith('/')) return { part: 'document', folder, file: rest };
  const signature = /^signatures\/([^/]+)\.sig$/s.exec(rest);
  if (signature) return { part: 'signature', folder, fileId: decodedName(signature[1] as string) };
  const name = /^signatures\/(.+)$/s.exec(rest)?.[1];
  if (name !== undefined) return { part: 'misnamed-signature', folder, name };
  return undefined;
}

/** Hidden files and folders, also those of macOS and git, what Windows leaves in folders, and what editors write beside an open file. */
const OF_SYSTEM =
  /(^|\/)(\.(?!\.?(\/|$))|~\$|__MACOSX\/|\$RECYCLE\.BIN\/|(Thumbs\.db|ehthumbs\.db|desktop\.ini|~[^/]*\.tmp|[^/]*~)$)/i;

export const isOfSystem = (path: string): boolean => OF_SYSTEM.test(path);

export function packageKey(folder: string): string {
  return `orders/${folder}/order.json`;
}

export function decisionKey(orderRef: string): string {
  return `orders/${orderRef}/decision.json`;
}

export function signaturesPrefix(orderRef: string): string {
  return `orders/${orderRef}/signatures/`;
}

/** The key of a signature in intake. A `fileId` may contain any character, so it is percent-encoded. */
export function signatureKey(orderRef: string, fileId: string): string {
  return `${signaturesPrefix(orderRef)}${encodeURIComponent(fileId)}.sig`;
}

/** The identifier in a file name in intake, which may be percent-encoded. */
export function decodedName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    // A name that cannot be decoded was not encoded.
    return name;
  }
}

/** File names that need no encoding in file systems, in S3 and in the service's multipart header. */
export const FILE = /^documents\/[A-Za-z0-9][A-Za-z0-9._-]*(\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/;

export const LONGEST_FILE = 256;

export function isFileName(file: unknown): file is string {
  return typeof file === 'string' && file.length <= LONGEST_FILE && FILE.test(file);
}
