import transliterate from '@sindresorhus/transliterate';

/** The name in characters that a package allows: `Заявка 12` becomes `Zayavka-12`. It may still be too long, or empty. */
export function fittingName(name: string): string {
  return transliterate(name.normalize('NFC'))
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replaceAll(/-+(?=[-.])|^[^A-Za-z0-9]+|-+$/g, '');
}

/** The path of a document below `documents/`, with such names. */
export function fittingFile(file: string): string {
  const parts = file.replace(/^\/*(documents\/+)?/, '').split('/');
  return ['documents', ...parts.map(fittingName).filter((part) => part !== '')].join('/');
}
