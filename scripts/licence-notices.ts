import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageName } from './deployed-packages.ts';

const FOLDER = '/node_modules/';
const LICENCE = /^(licen[cs]e|copying|notice|copyrightnotice)/i;

/**
 * The licences of the packages that the files belong to, as one comment: a licence must accompany each copy of its package. Packages with
 * the same text share it. Fonts and decoders in a package have licences of their own, in their folder.
 */
export function licenceNotices(files: string[]): string {
  const folders = [...new Set(files.flatMap(licensedFolders))].sort();
  const packages = new Map<string, string[]>();
  for (const folder of folders) {
    const text = licenceOf(folder);
    packages.set(text, [...(packages.get(text) ?? []), packageName(folder)]);
  }
  const notices = [...packages].map(([text, names]) => `${names.join(', ')}\n\n${text}`);
  return `/*\nThis file contains these packages, each under its licence.\n\n${notices.join('\n\n----\n\n')}\n*/\n`;
}

/** The folder of a file's package, and the file's own if it has licences. */
function licensedFolders(file: string): string[] {
  const folder = packageFolder(file);
  if (folder === undefined) return [];
  const own = dirname(file).replaceAll('\\', '/');
  return own !== folder && licenceFiles(own).length > 0 ? [folder, own] : [folder];
}

function licenceFiles(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => LICENCE.test(name)) : [];
}

function packageFolder(file: string): string | undefined {
  const path = file.replaceAll('\\', '/');
  const begin = path.lastIndexOf(FOLDER);
  if (begin === -1) return undefined;
  const [first = '', second = ''] = path.slice(begin + FOLDER.length).split('/');
  return path.slice(0, begin + FOLDER.length) + (first.startsWith('@') ? `${first}/${second}` : first);
}

/** The texts of a package's licence files, or the name of its licence if it has none. */
function licenceOf(folder: string): string {
  const texts = licenceFiles(folder)
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8').trim().replaceAll('*/', '* /'));
  if (texts.length > 0) return texts.join('\n\n');
  const { license, author } = JSON.parse(readFileSync(join(dirname(`${folder}/x`), 'package.json'), 'utf8')) as {
    license: string;
    author?: string | { name: string };
  };
  const who = typeof author === 'string' ? author : author?.name;
  return `Licence: ${license}${who ? `, by ${who}` : ''}`;
}
