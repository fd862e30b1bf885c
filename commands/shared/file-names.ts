import { mimes } from 'mrmime';

/** Bytes without the extension. Encrypted file systems take 143, and a temporary name is longer. */
const LONGEST_NAME = 100;

/** Windows reserves these names for devices, with any extension. */
export const RESERVED = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])$/i;

/** Types by extension. mrmime lacks vendor types. */
const TYPES: Record<string, string> = {
  ...mimes,
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

/** The usual extensions of types that have several. */
const USUAL: Record<string, string> = {
  'application/octet-stream': 'bin',
  'text/plain': 'txt',
  'image/jpeg': 'jpg',
  'image/tiff': 'tif',
};

export interface Named {
  /** The service's name, if it gave one. */
  name?: string;
  fileId: string;
  contentType: string;
  /** The folder for the file, if there are several. */
  folder?: string;
}

/**
 * A file name for each document, in their order: the service's name, or the `fileId`, made safe for every file system. Names in a folder
 * differ in more than case. Adding later documents does not change earlier names.
 */
export function fileNames(documents: readonly Named[]): string[] {
  const taken = new Set<string>();
  return documents.map((document) => {
    const { stem, extension } = safeName(document);
    for (let count = 1; ; count += 1) {
      const name = `${stem}${count === 1 ? '' : `-${count}`}${extension}`;
      const folded = `${document.folder ?? ''}/${name}`.toLowerCase();
      if (taken.has(folded)) continue;
      taken.add(folded);
      return name;
    }
  });
}

function safeName({ name, fileId, contentType }: Named): { stem: string; extension: string } {
  const whole = safeText(name ?? '') || safeText(fileId) || 'document';
  const dot = whole.lastIndexOf('.');
  const own = dot > 0 ? whole.slice(dot) : '';
  const isKnown = Object.hasOwn(TYPES, own.slice(1).toLowerCase());
  const stem = shortened(isKnown ? whole.slice(0, dot) : whole);
  return {
    stem: RESERVED.test(stem.split('.')[0]?.trim() ?? '') ? `_${stem}` : stem,
    extension: isKnown ? own : extensionOf(contentType),
  };
}

/**
 * Removes characters that change a path, move the cursor, hide text (direction marks, joiners) or are refused by a file system. A leading
 * hyphen would look like an option, and a leading dot hides a file.
 */
function safeText(text: string): string {
  return text
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu, '')
    .replaceAll(/[/\\:*?"<>|]/g, '_')
    .replaceAll(/\s+/g, ' ')
    .replace(/^[. -]+/, '')
    .replace(/[. ]+$/, '');
}

function shortened(stem: string): string {
  let kept = stem;
  while (Buffer.byteLength(kept) > LONGEST_NAME) kept = [...kept].slice(0, -1).join('');
  return kept.replace(/[. ]+$/, '');
}

function extensionOf(contentType: string): string {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const extensions = Object.keys(TYPES).filter((extension) => TYPES[extension] === type);
  // Most types are named after their usual extension, such as pdf of application/pdf.
  const named = extensions.find((extension) => type.endsWith(`/${extension}`));
  return `.${USUAL[type] ?? named ?? extensions[0] ?? 'bin'}`;
}
