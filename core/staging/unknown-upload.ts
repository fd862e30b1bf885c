import { isOrderRef } from '../package/intake-key.ts';
import type { RejectionProblem } from './rejected-upload.ts';

/** Cyrillic letters, and the Latin ones that they look like. */
const CYRILLIC = 'аеорсхіјѕԁ';
const LATIN = 'aeopcxijsd';

const FOLDERS = new Map([
  ['document', 'documents'],
  ['documents', 'documents'],
  ['signature', 'signatures'],
  ['signatures', 'signatures'],
]);
const FILES = ['order.json', 'decision.json'];
const PACKAGE = 'A package is orders/<orderRef>/order.json with its documents in orders/<orderRef>/documents/.';
const REMOVE = 'Upload it again in the right place, or remove it.';

/** What is wrong with a key that can never be part of an order. */
export function unknownUpload(key: string): RejectionProblem {
  const [top = '', folder = '', ...rest] = key.split('/');
  if (top !== 'orders') return outsideOrders(top);
  if (folder === '' || rest.length === 0) {
    return {
      problem: 'The file is in no folder of an order, so nothing was done with it.',
      fix: `${PACKAGE} ${REMOVE}`,
    };
  }
  return isOrderRef(folder) ? insideFolder(`orders/${folder}/`, rest) : wrongFolder;
}

/** The folder of the order has a name that no order can have. */
export const wrongFolder: RejectionProblem = {
  problem: 'The folder name is not a valid orderRef, so nothing was done with the file.',
  fix: 'Use 1-64 of the characters A-Z a-z 0-9 . _ - for it, beginning with a letter or digit. Upload the whole package to a folder with such a name.',
};

/** The order started, and its package does not name the document. */
export const notInPackage: RejectionProblem = {
  problem:
    'The order.json that started this order does not name the file, so it is never sent, and the order is unchanged.',
  fix: 'If it replaces a document of the order, upload it under the name of that document. If the order needs a further document, submit a new package under another orderRef.',
};

/** The order is over, and its files were removed. */
export const removedOrder: RejectionProblem = {
  problem: 'The order is over and its files were removed, so nothing was done with the file.',
  fix: 'Remove it, with all its versions. To submit another order, upload a package under a new orderRef.',
};

/** A signature for an order that does not exist. */
export const noOrder: RejectionProblem = {
  problem: 'There is no order with this orderRef, so the signature was not checked and is not used.',
  fix: 'Take the address of each signature from to-sign.json of its order, and upload it there.',
};

function outsideOrders(top: string): RejectionProblem {
  const fix = `${PACKAGE} ${REMOVE}`;
  if (spelled(top) === 'orders') {
    return { problem: 'The first folder is not written exactly "orders", so nothing was done with the file.', fix };
  }
  return { problem: 'The file is not below orders/, so it belongs to no order, and nothing was done with it.', fix };
}

/** @param rest the names after the order's folder. */
function insideFolder(folder: string, rest: string[]): RejectionProblem {
  const [first = ''] = rest;
  const last = spelled(rest.at(-1) ?? '');
  const rightName = FOLDERS.get(spelled(first));
  if (rest.length > 1 && rightName === first) return notAName(folder, first);
  if (rest.length > 1 && rightName !== undefined) {
    return {
      problem: `The folder is not written exactly "${rightName}", so nothing was done with the file.`,
      fix: `Upload the file to ${folder}${rightName}/.`,
    };
  }
  if (FILES.includes(last)) {
    const how = rest.length > 1 ? 'lies in a folder too deep' : 'is not named exactly so';
    return {
      problem: `The file looks like ${last}, but it ${how}. Nothing was done with it, and no order was started or changed.`,
      fix: `Upload it as ${folder}${last}, in small Latin letters.`,
    };
  }
  return {
    problem: 'No order has a file of this name or in this folder, so nothing was done with it.',
    fix: `A document lies in ${folder}documents/ and is named in order.json. Upload it there, or remove it.`,
  };
}

function notAName(folder: string, first: string): RejectionProblem {
  const problem = 'A file of an order cannot have this name, so nothing was done with it.';
  if (first === 'signatures')
    return { problem, fix: `Name a signature ${folder}signatures/<fileId>.sig, as to-sign.json says.` };
  return {
    problem,
    fix: 'The name of a document has at most 256 of the characters A-Z a-z 0-9 . _ - and / for folders, and each part begins with a letter or digit. Rename it, and name it so in order.json.',
  };
}

/** The name in small Latin letters, without what people and programs add by accident. */
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
