import type { PackageCheck } from '../../api.ts';

/** A package in this tab. The server has nothing of it until it is submitted. */
export interface PackageState {
  id: string;
  /** From the folder's name, or typed. Answers of the server do not change it. */
  orderRef: string;
  /** The path of the dropped folder; empty for single files. */
  folder: string;
  /** Files that differ from the folder: dropped later, or edited here. */
  later: ReadonlySet<string>;
  files: ReadonlyMap<string, File>;
  /** The text of order.json; undefined if there is none, or it is too large to be shown. */
  text?: string | undefined;
  /** Files that were here before this tab was loaded again. */
  wanted: readonly string[];
  /** Of the latest files and texts; undefined until it comes. */
  check?: PackageCheck | undefined;
  isChecked?: boolean;
  failed?: string | undefined;
  /** What the bank found in the order that this package corrects. */
  issues?: readonly unknown[];
}

const KEY = 'loan-orders-packages';
/** Characters of an order.json that can be edited here. */
export const LONGEST_TEXT = 2 ** 20;

type Kept = Pick<PackageState, 'orderRef' | 'folder' | 'text'> & Record<'names' | 'later', string[]>;

/** What was typed stays in the tab, until the package is submitted or forgotten. Files are too large to be kept. */
export function keep(all: readonly PackageState[]): void {
  const kept = all.flatMap(({ orderRef, folder, files, text, later, wanted, check }): Kept[] => {
    const names = [...new Set([...wanted, ...files.keys()])].filter((name) => !check?.unnamed.includes(name));
    // All of them together fit into the tab's storage.
    const typed = later.has('order.json') && text && text.length * all.length <= 2 * LONGEST_TEXT ? text : undefined;
    return names.length > 0 ? [{ orderRef, folder, names, later: [...later], text: typed }] : [];
  });
  if (kept.length === 0) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, JSON.stringify(kept));
}

/** The packages as they were kept, or one that is empty. */
export function restored(none: () => PackageState): readonly PackageState[] {
  const kept = JSON.parse(sessionStorage.getItem(KEY) ?? '[]') as Kept[];
  const all = kept.map(({ orderRef, folder, names, later, text }) => {
    const files = new Map(text === undefined ? [] : [['order.json', new File([text], 'order.json')]]);
    const wanted = names.filter((name) => !files.has(name));
    return { ...none(), orderRef, folder, text, files, later: new Set(later), wanted };
  });
  return all.length > 0 ? all : [none()];
}
