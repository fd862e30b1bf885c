import transliterate from '@sindresorhus/transliterate';
import leven from 'leven';

/** A longer distance is another name. */
const MOST_TYPOS = 2;

/** The name in letters that a package allows: `Заявка 12` becomes `Zayavka-12`. It may still be too long, or empty. */
export function fittingName(name: string): string {
  return transliterate(name.normalize('NFC'))
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replaceAll(/-+(?=[-.])|^[^A-Za-z0-9]+|-+$/g, '');
}

/** The path of a document with such names below `documents/`. */
export function fittingFile(file: string): string {
  const parts = file.replace(/^\/*(documents\/+)?/, '').split('/');
  return ['documents', ...parts.map(fittingName).filter((part) => part !== '')].join('/');
}

/** Of the names that there are, the one that is meant by this one, which is not among them. */
export function nearestName(file: string, names: readonly string[]): string | undefined {
  const alike = (name: string) => name.normalize('NFC').toLowerCase();
  const [nearest] = names
    .map((name) => ({ name, distance: leven(alike(name), alike(file)) }))
    .sort((one, other) => one.distance - other.distance);
  return nearest && nearest.distance <= MOST_TYPOS ? nearest.name : undefined;
}
