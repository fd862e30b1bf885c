import { inWords, type OwnCode } from '../messages/english.ts';
import { isOrderRef, LONGEST_FILE } from '../package/intake-key.ts';
import type { RejectionProblem } from './rejected-upload.ts';

/** Cyrillic letters, and the Latin letters that they look like. */
const CYRILLIC = 'аеорсхіјѕԁ';
const LATIN = 'aeopcxijsd';

const FOLDERS = new Map([
  ['document', 'documents'],
  ['documents', 'documents'],
  ['signature', 'signatures'],
  ['signatures', 'signatures'],
]);
const FILES = ['order.json', 'decision.json'];

/** What is wrong with a key that can never be part of an order. */
export function unknownUpload(key: string): RejectionProblem {
  const [top = '', folder = '', ...rest] = key.split('/');
  if (top !== 'orders') return inWords(spelled(top) === 'orders' ? 'ordersMisspelled' : 'outsideOrders');
  if (folder === '' || rest.length === 0) return inWords('noFolder');
  return isOrderRef(folder) ? inWords(...insideFolder(`orders/${folder}/`, rest)) : inWords('folderName', {});
}

/** @param rest the names after the order's folder. */
function insideFolder(folder: string, rest: string[]): OwnCode {
  const [first = ''] = rest;
  const last = spelled(rest.at(-1) ?? '');
  const isDeep = rest.length > 1;
  const name = isDeep ? FOLDERS.get(spelled(first)) : undefined;
  if (name === first)
    return name === 'signatures' ? ['signatureName', { folder }] : ['documentName', { most: LONGEST_FILE }];
  if (name !== undefined) return ['folderMisspelled', { name, folder }];
  return FILES.includes(last) ? ['looksLike', { name: last, folder, isDeep }] : ['unknownFile', { folder }];
}

/** The name in lower-case Latin letters, without accidental additions by people and programs. */
function spelled(name: string): string {
  const small = name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s\p{Cf}]/gu, '');
  const latin = [...small].map((letter) => LATIN[CYRILLIC.indexOf(letter)] ?? letter).join('');
  return latin
    .replace(/\.txt$/, '')
    .replaceAll('_', '.')
    .replace(/^(order|decision)(\(\d+\))?\.?json$/, '$1.json');
}
