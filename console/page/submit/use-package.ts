import { useEffect, useState } from 'preact/hooks';
import type { PackageCheck, SubmitMessage } from '../../api.ts';
import { messages } from '../messages/language.ts';
import type { DroppedFile } from '../parts/drop-zone.tsx';
import { form } from '../parts/format.ts';
import type { Tell } from '../parts/sent.tsx';
import { bytesOf, CallFailed, call, eachLine } from '../state/call.ts';
import { orders, stalled } from '../state/stage.ts';

/** A package in this tab. The server has nothing of it until it is submitted. */
export interface PackageState {
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
}

const NONE: PackageState = { orderRef: '', folder: '', later: new Set(), files: new Map(), wanted: [] };
/** Milliseconds. */
const AFTER_TYPING = 300;
/** Characters of an order.json that can be edited here. */
const LONGEST_TEXT = 2 ** 20;

export function usePackage() {
  const [state, setState] = useState<PackageState>(restored);
  const change = (changes: Partial<PackageState>) =>
    setState((before) => ({ ...before, failed: undefined, ...changes, isChecked: false }));
  const { orderRef, files, text } = state;
  useEffect(() => keep(state), [orderRef, files, text, state.check]);
  useCheck(state, setState);
  return {
    state,
    /** A package replaces the present one and its reference. Single files are added, and so is what was here before. */
    add: async (dropped: DroppedFile[]) => {
      const { folder, inside, several } = rooted(dropped);
      if (several) return change({ failed: messages.value.submit.several(several.slice(0, 3).join(', ')) });
      const isPackage = folder !== '' || (inside.length > 1 && inside.some(({ path }) => path === 'order.json'));
      const isNew = state.wanted.length === 0 && (isPackage || files.size === 0);
      const added = new Map(inside.map(({ path, file }) => [isNew ? path : placeOf(path, state), file]));
      const known = isNew ? { ...NONE, orderRef: folder.split('/').at(-1) ?? '', folder } : state;
      // Text that was typed before the tab was loaded again is newer than the file.
      if (known.text !== undefined && known.wanted.length > 0) added.delete('order.json');
      const orderJson = added.get('order.json');
      const dropText = orderJson && orderJson.size <= LONGEST_TEXT ? await orderJson.text() : undefined;
      change({
        ...known,
        check: isNew ? undefined : state.check,
        files: new Map([...known.files, ...added]),
        later: new Set([...known.later, ...(isNew || known.wanted.length > 0 ? [] : added.keys())]),
        wanted: known.wanted.filter((path) => !added.has(path)),
        ...(orderJson && { text: dropText }),
      });
    },
    /** Opens what an order or a rejection has in intake. What was typed for it before a reload stays. Throws CallFailed. */
    openAgain: async (known: string) => {
      const isBack = state.folder === known;
      if (!isBack && files.size + state.wanted.length > 0 && !confirm(messages.value.submit.leave)) return;
      const address = `/api/packages/${encodeURIComponent(known)}`;
      const added = new Map<string, File>();
      for (const path of await call<string[]>(address)) {
        const bytes = await bytesOf(`${address}/file?name=${encodeURIComponent(path)}`, new AbortController().signal);
        added.set(path, new File([bytes], path.split('/').at(-1) ?? path, { type: typeOf(path) }));
      }
      const own = isBack ? state : { ...NONE, orderRef: freeReference(known), folder: known };
      const orderJson = own.files.get('order.json') ?? added.get('order.json');
      const shown = orderJson && orderJson.size <= LONGEST_TEXT ? await orderJson.text() : undefined;
      change({ ...own, files: new Map([...added, ...own.files]), text: shown, wanted: [] });
    },
    rename: (typed: string) => change({ orderRef: typed }),
    edit: (typed: string) =>
      change({
        text: typed,
        files: new Map([...files, ['order.json', new File([typed], 'order.json')]]),
        later: new Set([...state.later, 'order.json']),
      }),
    /** Submits the reviewed package, whatever is dropped meanwhile. */
    submit: async (look: PackageState, tell: Tell) => {
      const said = await submission(look, tell, (check) =>
        setState((now) => (now.files === look.files ? { ...now, check } : now)),
      );
      setState((now) => (now.files === look.files ? NONE : now));
      return said;
    },
    forget: () => setState(NONE),
  };
}

/** The reference itself, or the next one that no order has: `my-order-2`. */
function freeReference(known: string): string {
  const [, first = ''] = /^(.+)-\d+$/.exec(known) ?? [];
  const base = orders.value?.has(first) ? first : known;
  let free = known;
  for (let at = 2; orders.value?.has(free); at += 1) free = `${base}-${at}`;
  return free;
}

const typeOf = (path: string) => (/\.pdf$/i.test(path) ? 'application/pdf' : '');

/** Where a file that was dropped alone belongs: the only place of its name that the package has or lacks. */
function placeOf(path: string, { wanted, files, check }: PackageState): string {
  const missing = (check?.problems ?? []).map(({ params }) => String((params as { file?: string } | undefined)?.file));
  const places = [...new Set([...wanted, ...files.keys(), ...missing])].filter((one) => one.endsWith(`/${path}`));
  return places.length === 1 ? String(places[0]) : path;
}

/** Checks the package a moment after each change. */
function useCheck({ orderRef, files }: PackageState, setState: (next: (now: PackageState) => PackageState) => void) {
  const isStalled = stalled.value !== undefined;
  useEffect(() => {
    if (files.size === 0) return undefined;
    const stop = new AbortController();
    const run = async () => {
      const facts = { orderRef, files: [...files].map(([path, { size }]) => ({ path, size })) };
      const body = new FormData();
      body.append('facts', new Blob([JSON.stringify(facts)]));
      const orderJson = files.get('order.json');
      if (orderJson && orderJson.size <= LONGEST_TEXT) body.append('order.json', orderJson);
      const answer = await call<PackageCheck>('/api/packages/check', body, stop.signal).then(
        (check) => ({ check, isChecked: true }),
        (error: Error) => ({ failed: error.message }),
      );
      if (!stop.signal.aborted)
        setState((now) => (now.files === files && now.orderRef === orderRef ? { ...now, ...answer } : now));
    };
    const timer = setTimeout(run, AFTER_TYPING);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [orderRef, files, isStalled]);
}

const KEPT = 'loan-orders-package';

/** What was typed stays in the tab, until the package is submitted or forgotten. Files are too large to be kept. */
function keep({ orderRef, folder, files, text, later, wanted, check }: PackageState): void {
  const names = [...new Set([...wanted, ...files.keys()])].filter((name) => !check?.unnamed.includes(name));
  const typed = later.has('order.json') ? text : undefined;
  if (names.length === 0) sessionStorage.removeItem(KEPT);
  else sessionStorage.setItem(KEPT, JSON.stringify({ orderRef, folder, names, typed }));
}

function restored(): PackageState {
  type Kept = Pick<PackageState, 'orderRef' | 'folder'> & { names: string[]; typed?: string };
  const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? 'null') as Kept | null;
  if (!kept) return NONE;
  const { orderRef, folder, names, typed } = kept;
  if (typed === undefined) return { ...NONE, orderRef, folder, wanted: names };
  const files = new Map([['order.json', new File([typed], 'order.json')]]);
  return {
    ...NONE,
    ...{ orderRef, folder },
    text: typed,
    files,
    later: new Set(files.keys()),
    wanted: names.filter((name) => name !== 'order.json'),
  };
}

/**
 * The files of the package: the folder of order.json, or the one that all files are in. Hidden files belong to the operating system.
 * `several` lists the packages if more than one was dropped.
 */
function rooted(files: DroppedFile[]): { folder: string; inside: DroppedFile[]; several?: string[] } {
  const shown = files.filter(({ path }) => !path.split('/').some((name) => name.startsWith('.')));
  const [first = ''] = shown[0]?.path.split('/') ?? [];
  const isOne = shown.every(({ path }) => path.startsWith(`${first}/`)) && first !== 'documents';
  const roots = shown
    .filter(({ path }) => `/${path}`.endsWith('/order.json'))
    .map(({ path }) => path.slice(0, -'order.json'.length))
    .sort((one, other) => one.length - other.length);
  const [root = isOne ? `${first}/` : '', ...others] = roots;
  const inside = shown
    .filter(({ path }) => path.startsWith(root))
    .map(({ path, file }) => ({ path: path.slice(root.length), file }));
  const folder = root.slice(0, -1);
  return { folder, inside, ...(others.some((other) => !other.startsWith(root)) && { several: roots }) };
}

/** @throws CallFailed, also if the answer ends without a result. */
async function submission(
  { orderRef, files, check }: PackageState,
  tell: Tell,
  onChecked: (check: PackageCheck) => void,
): Promise<string> {
  const words = messages.value.submit;
  const body = new FormData();
  for (const [path, file] of files) body.append(encodeURIComponent(path), file);
  let last: SubmitMessage | undefined;
  const address = `/api/packages/submit?orderRef=${encodeURIComponent(orderRef)}`;
  await eachLine<SubmitMessage>(address, body, (message) => {
    last = message;
    if (!('progress' in message)) return;
    const { name, done, total } = message.progress;
    tell(done < total ? `${words.uploading(name)}, ${Math.floor((100 * done) / total)} %` : words.waiting);
  }).catch((error: CallFailed) => {
    // The console begins to submit after its first line.
    throw last || error.status > 0 ? error : new CallFailed(NOT_BEGUN, { error: words.notKept });
  });
  if (!last || 'progress' in last) throw new CallFailed(0, { error: messages.value.unanswered });
  if ('said' in last) return `${words.submitted(orderRef)} ${last.said}`;
  if ('failed' in last) throw new CallFailed(last.status, last.failed);
  const { problems } = last;
  onChecked({ unnamed: [], alike: [], ...check, problems });
  throw new CallFailed(409, { error: form(problems.length, words.problems) });
}

/** As of a refusal: nothing was done. */
const NOT_BEGUN = 409;
