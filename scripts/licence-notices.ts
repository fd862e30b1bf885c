import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Metafile } from 'esbuild';
import { packageName } from './check-licences.ts';

/** Paths of all files that are part of a build's result. */
export function usedFiles({ outputs }: Metafile, folder: string): string[] {
  const used = Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs));
  return used.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => resolve(folder, path));
}

const FOLDER = '/node_modules/';
const LICENCE = /^(licen[cs]e|copying|notice|copyrightnotice)/i;

export interface Manifest {
  name: string;
  version: string;
  license?: string;
  author?: string | { name: string };
}

export const manifestOf = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/** The folders of the packages that files belong to. */
export const packageFolders = (files: string[]) =>
  [...new Set(files.flatMap((file) => packageFolder(file) ?? []))].sort();

/** The licences of packages, because a licence must accompany each copy of its package. Each text appears once. */
export function licenceNotices(folders: string[]): string {
  const packages = new Map<string, string[]>();
  for (const folder of folders) {
    const text = licenceOf(folder);
    packages.set(text, [...(packages.get(text) ?? []), packageName(folder)]);
  }
  const notices = [...packages].map(([text, names]) => `${names.join(', ')}\n\n${text}`);
  return `These packages are built in, each under its licence.\n\n${notices.join('\n\n----\n\n')}\n`;
}

function packageFolder(file: string): string | undefined {
  const path = file.replaceAll('\\', '/');
  const begin = path.lastIndexOf(FOLDER);
  if (begin === -1) return undefined;
  const [first = '', second = ''] = path.slice(begin + FOLDER.length).split('/');
  return path.slice(0, begin + FOLDER.length) + (first.startsWith('@') ? `${first}/${second}` : first);
}

/** The text of a package's licence files or, without such files, the name of its licence. */
function licenceOf(folder: string): string {
  const texts = readdirSync(folder)
    .filter((name) => LICENCE.test(name))
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8').trim().replaceAll('*/', '* /'));
  if (texts.length > 0) return texts.join('\n\n');
  const { license, author } = manifestOf(folder);
  const who = typeof author === 'string' ? author : author?.name;
  return `Licence: ${license}${who ? `, by ${who}` : ''}`;
}
