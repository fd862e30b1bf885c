import { useEffect, useState } from 'preact/hooks';
import { treeOf, withValue } from '../../../core/json/edit-json.ts';
import type { PackageCheck } from '../../api.ts';
import { messages } from '../messages/language.ts';
import type { DroppedFile } from '../parts/drop-zone.tsx';
import { addressOf, bytesOf, call } from '../state/call.ts';
import { stalled } from '../state/stage.ts';
import { type DroppedPackage, packagesIn } from './dropped-packages.ts';
import { keep, LONGEST_TEXT, type PackageState, restored } from './kept-packages.ts';

const none = (): PackageState => ({
  id: crypto.randomUUID(),
  orderRef: '',
  folder: '',
  later: new Set(),
  files: new Map(),
  wanted: [],
});
/** Changes a package, unless its files or its reference have changed meanwhile. */
export type Update = (one: PackageState, changes: Partial<PackageState>) => void;

/** Milliseconds. */
const AFTER_TYPING = 300;
const AGAIN = 5_000;

/** Whether a package can be submitted as it is, as `submit` without a question. */
export const isReady = ({ check, isChecked }: PackageState) =>
  isChecked === true && !check?.refused && check?.problems.length === 0 && check.unnamed.length === 0;

export function usePackages() {
  const [{ all, openId, strays }, setState] = useState(() => ({
    all: restored(none),
    openId: '',
    strays: [] as readonly string[],
  }));
  const setAll = (next: (all: readonly PackageState[]) => readonly PackageState[]) =>
    setState((before) => ({ ...before, all: next(before.all) }));
  const update: Update = ({ id, files, orderRef }, changes) =>
    setAll((now) =>
      now.map((one) =>
        one.id === id && one.files === files && one.orderRef === orderRef ? { ...one, ...changes } : one,
      ),
    );
  const state = all.find(({ id }) => id === openId) ?? (all[0] as PackageState);
  const change = (changes: Partial<PackageState>) =>
    setAll((now) =>
      now.map((one) => (one.id === state.id ? { ...one, failed: undefined, ...changes, isChecked: false } : one)),
    );
  const edit = (text: string, others = state.files) => {
    const files = new Map([...others, ['order.json', new File([text], 'order.json')]]);
    change({ text, files, later: new Set([...state.later, 'order.json']) });
  };
  useEffect(() => keep(all), [all]);
  useCheck(isWaiting(state) ? state : (all.find(isWaiting) ?? state), update, all.length > 1);
  return {
    all,
    state,
    strays,
    open: (id: string) => setState((now) => ({ ...now, openId: id })),
    /** Packages replace the present ones and their references. Single files are added, and so is what was here before. */
    add: async (dropped: DroppedFile[]) => {
      const found = packagesIn(dropped);
      const [only] = found.packages;
      const added = await Promise.all(
        found.packages.map((one) => opened(one, all.length > 1 || found.packages.length > 1 ? all : [])),
      );
      if (only && found.packages.length === 1 && isAddition(only, state, all.length > 1))
        return change(await withFiles(state, only));
      const isGone = ({ folder }: PackageState) => added.some((one) => one.folder === folder);
      setState((now) => {
        const others = now.all.length > 1 ? now.all.filter((one) => !isGone(one)) : [];
        return { all: [...others, ...added], openId: added[0]?.id ?? '', strays: found.strays };
      });
    },
    /** Opens what an order or a rejection has in intake. What was typed for it before a reload stays. Throws CallFailed. */
    openAgain: async (known: string) => {
      if (state.folder !== known && state.files.size + state.wanted.length > 0 && !confirm(messages.value.submit.leave))
        return;
      const { issues, free } = await call<{ issues: unknown; free: string }>(`${addressOf(known)}/issues`);
      const address = `/api/packages/${encodeURIComponent(known)}`;
      const added = new Map<string, File>();
      for (const path of await call<string[]>(address)) {
        const bytes = await bytesOf(`${address}/file?name=${encodeURIComponent(path)}`, new AbortController().signal);
        const type = /\.pdf$/i.test(path) ? 'application/pdf' : '';
        added.set(path, new File([bytes], path.split('/').at(-1) ?? path, { type }));
      }
      const text = await textOf(added);
      setState((now) => {
        const back = now.all.find(({ folder }) => folder === known);
        const own = back ?? { ...none(), orderRef: free, folder: known, wanted: [...added.keys()] };
        // What was removed stays so, and what was dropped here is not in intake.
        const isAsSent = ([path]: [string, File]) => own.wanted.includes(path) && !own.later.has(path);
        const asSent = [...added].filter(isAsSent);
        const files = new Map([...asSent, ...own.files]);
        const wanted = own.wanted.filter((path) => !files.has(path));
        const again = { ...own, text: own.text ?? text, wanted, isChecked: false, issues: [issues ?? []].flat() };
        return { all: [{ ...again, files }], openId: '', strays: [] };
      });
    },
    rename: (typed: string) => change({ orderRef: typed }),
    edit,
    /** Renames a file, also where order.json names it. Its text is not read again: an edit made meanwhile would be lost. */
    moveFile: async (from: string, to: string) => {
      const files = new Map([...state.files].map(([path, file]) => [path === from ? to : path, file]));
      const named = documentsOf(state.text).flatMap(({ file }, at) => (file === from ? [at] : []));
      const moved = (text: string, at: number) => withValue(text, ['documents', at, 'file'], to);
      if (named.length > 0) return edit(named.reduce(moved, state.text ?? ''), files);
      const text = to === 'order.json' ? await textOf(files) : files.has('order.json') ? state.text : undefined;
      change({ files, text, later: new Set([...state.later, to]) });
    },
    removeFiles: (...gone: string[]) => {
      const files = new Map([...state.files].filter(([path]) => !gone.includes(path)));
      change({ files, text: files.has('order.json') ? state.text : undefined });
    },
    /** Names a file in order.json, as a document of the same entity as the one before. */
    nameFile: (path: string) => {
      const file = path.startsWith('documents/') ? path : `documents/${path}`;
      const documents = documentsOf(state.text);
      const { entityId = '', sourceEntityId = '' } = documents.at(-1) ?? {};
      const files = new Map([...state.files].map(([one, content]) => [one === path ? file : one, content]));
      const document = { file, entityId, sourceEntityId, docType: '' };
      edit(withValue(state.text ?? '{"order": {}}', ['documents', documents.length], document), files);
    },
    update,
    /** Checks them once more: others may have submitted the same meanwhile. Without an answer, the last one stays. */
    checkAgain: async (these: readonly PackageState[]) => {
      for (const one of these) update(one, { check: await checkOf(one).catch(() => one.check) });
    },
    /** Takes these packages off the page. */
    forget: (gone: readonly PackageState[] = all) =>
      setAll((now) => {
        const left = now.filter(({ id, files }) => !gone.some((one) => one.id === id && one.files === files));
        return left.length > 0 ? left : [none()];
      }),
  };
}

const isWaiting = ({ files, isChecked, failed }: PackageState) => files.size > 0 && !isChecked && failed === undefined;

/** Whether what was dropped belongs to the package that is open: single files, and what was here before. */
function isAddition({ folder, files }: DroppedPackage, state: PackageState, isOneOfMany: boolean): boolean {
  if (state.wanted.length > 0 && (!isOneOfMany || state.folder === folder)) return true;
  const isPackage = folder !== '' || (files.size > 1 && files.has('order.json'));
  return !isPackage && state.files.size > 0;
}

/** A dropped package, with what was typed for it before this tab was loaded again. */
async function opened(dropped: DroppedPackage, known: readonly PackageState[]): Promise<PackageState> {
  const { folder, files } = dropped;
  const before = known.find((one) => one.wanted.length > 0 && one.folder === folder);
  if (before) return { ...before, ...(await withFiles(before, dropped)) };
  return { ...none(), orderRef: folder.split('/').at(-1) ?? '', folder, files, text: await textOf(files) };
}

async function withFiles(
  state: PackageState,
  { folder, files: dropped }: DroppedPackage,
): Promise<Partial<PackageState>> {
  const isBack = state.wanted.length > 0;
  const added = new Map([...dropped].map(([path, file]) => [placeOf(path, state), file]));
  // Text that was typed before the tab was loaded again is newer than the file.
  if (isBack && state.text !== undefined) added.delete('order.json');
  const files = new Map([...state.files, ...added]);
  const others = [...added.keys()].filter((path) => !state.wanted.includes(path));
  return {
    files,
    folder: state.folder || folder,
    text: added.has('order.json') ? await textOf(files) : state.text,
    later: new Set([...state.later, ...others]),
    wanted: state.wanted.filter((path) => !added.has(path)),
  };
}

/** Undefined if it is too large, or no UTF-8: an edit would lose its letters. */
async function textOf(files: ReadonlyMap<string, File>): Promise<string | undefined> {
  const file = files.get('order.json');
  const bytes = file && file.size <= LONGEST_TEXT ? await file.arrayBuffer() : undefined;
  const text = bytes && new TextDecoder().decode(bytes);
  return text?.includes('\uFFFD') ? undefined : text;
}

/** The documents that order.json names. */
export function documentsOf(
  text: string | undefined,
): Partial<Record<'file' | 'entityId' | 'sourceEntityId', string>>[] {
  if (treeOf(text) === undefined) return [];
  const { documents } = JSON.parse(text ?? '') as { documents?: unknown };
  return Array.isArray(documents) ? documents.map((one) => one ?? {}) : [];
}

/** Where a file that was dropped alone belongs: the only place of its name that the package has or lacks. */
function placeOf(path: string, { wanted, files, check }: PackageState): string {
  const missing = (check?.problems ?? []).map(({ params }) => String((params as { file?: string } | undefined)?.file));
  const places = [...new Set([...wanted, ...files.keys(), ...missing])].filter((one) => one.endsWith(`/${path}`));
  return places.length === 1 ? String(places[0]) : path;
}

/** What the server says of a package. Throws CallFailed. */
function checkOf({ orderRef, files }: PackageState, signal?: AbortSignal): Promise<PackageCheck> {
  const facts = { orderRef, files: [...files].map(([path, { size }]) => ({ path, size })) };
  const body = new FormData();
  body.append('facts', new Blob([JSON.stringify(facts)]));
  const orderJson = files.get('order.json');
  if (orderJson && orderJson.size <= LONGEST_TEXT) body.append('order.json', orderJson);
  return call<PackageCheck>('/api/packages/check', body, signal);
}

/** Checks a package a moment after each change, and many one after the other. */
function useCheck(state: PackageState, update: Update, isOneOfMany: boolean) {
  const { id, orderRef, files, isChecked } = state;
  const isStalled = stalled.value !== undefined;
  useEffect(() => {
    if (files.size === 0 || isChecked) return undefined;
    const stop = new AbortController();
    const run = async () => {
      const answer = await checkOf(state, stop.signal).then(
        (check) => ({ check, isChecked: true, failed: undefined }),
        (error: Error) => ({ failed: error.message }),
      );
      if (stop.signal.aborted) return;
      update(state, answer);
      if (!('check' in answer)) timer = setTimeout(run, AGAIN);
    };
    let timer = setTimeout(run, isOneOfMany ? 0 : AFTER_TYPING);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [id, orderRef, files, isStalled]);
}
