import { useEffect, useRef, useState } from 'preact/hooks';
import type { OrderFacts, PackageCheck, SubmitMessage } from '../../api.ts';
import { messages } from '../messages/language.ts';
import type { DroppedFile } from '../parts/drop-zone.tsx';
import { addressOf, askAgain, CallFailed, call, eachLine } from '../state/call.ts';

/** A package on the page: its check, and the progress of its submission. */
export interface PackageState {
  /** As it was typed: no answer changes it. */
  orderRef: string;
  check?: PackageCheck | undefined;
  /** Whether the check covers the latest files and texts. */
  isChecked?: boolean;
  /** What was dropped, by its path in the package. */
  files: ReadonlyMap<string, File>;
  /** Counts drops: each may bring another order.json. */
  drops: number;
  isBusy?: boolean;
  failed?: string | undefined;
  progress?: { name: string; done: number; total: number } | undefined;
  said?: string;
  /** The submission broke off. `since` is when the order was accepted, if there is one by now. */
  unknown?: { isAnswered: boolean; since?: string } | undefined;
}

type Change = (changes: Partial<PackageState>) => void;

const EMPTY: PackageState = { orderRef: '', files: new Map(), drops: 0 };
/** Milliseconds. */
const AFTER_TYPING = 500;
const LOOK_EVERY = 2_000;
/** The console has restarted, or newer packages took the place of this one. */
const GONE = 410;

export function usePackage() {
  const [state, setState] = useState<PackageState>(EMPTY);
  const change: Change = (changes) => setState((before) => ({ ...before, ...changes }));
  const draft = useRef<{ id?: string | undefined; orderRef: string; text?: string | undefined }>({ orderRef: '' });
  const works = useWorks(change, () => {
    draft.current.id = undefined;
  });
  const stop = useRef(new AbortController());
  const endLookUp = () => {
    stop.current.abort();
    stop.current = new AbortController();
  };
  useEffect(() => endLookUp, []);
  const put = (path: string, body: Blob) =>
    call(`/api/packages/${draft.current.id}/files?path=${encodeURIComponent(path)}`, body);
  const check = async () => {
    const { id, orderRef } = draft.current;
    const found = await call<PackageCheck>(`/api/packages/${id}/check`, { orderRef });
    change({ check: found, isChecked: true });
  };
  const keepTyped = async () => {
    const { text } = draft.current;
    draft.current.text = undefined;
    if (text !== undefined) await put('order.json', new Blob([text]));
    await check();
  };
  return {
    state,
    /** A new package, or more files of the one that is there. */
    add: (files: DroppedFile[]) => {
      const { folder, inside, several } = rooted(files);
      if (several) return change({ failed: messages.value.submit.several(several.slice(0, 3).join(', ')) });
      return works.now(async () => {
        draft.current.orderRef ||= folder;
        draft.current.id ??= (await call<{ id: string }>('/api/packages', {})).id;
        change({ orderRef: draft.current.orderRef });
        for (const { path, file } of inside) await put(path, file);
        const known = new Map(inside.map(({ path, file }) => [path, file]));
        // It takes the place of what was typed.
        if (known.has('order.json')) draft.current.text = undefined;
        await keepTyped();
        setState((before) => ({
          ...before,
          // What was typed meanwhile stays in its field.
          drops: before.drops + Number(draft.current.text === undefined),
          files: new Map([...before.files, ...known]),
        }));
      });
    },
    rename: (orderRef: string) => {
      draft.current.orderRef = orderRef;
      change({ orderRef });
      works.afterTyping(keepTyped);
    },
    edit: (text: string) => {
      draft.current.text = text;
      works.afterTyping(keepTyped);
    },
    submit: () =>
      works.now(async () => {
        endLookUp();
        await submission(draft.current.id, state, change).catch((error: unknown) => {
          if (!(error instanceof CallFailed && error.status === 0)) throw error;
          lookUp(state.orderRef, stop.current.signal, change);
        });
      }),
    forget: () => {
      endLookUp();
      draft.current = { orderRef: '' };
      setState(EMPTY);
    },
  };
}

/** Runs the tasks of the package one after the other. While a task runs or waits, the package is busy. */
function useWorks(change: Change, onLost: () => void) {
  const known = useRef({ left: 0, last: Promise.resolve(), timer: 0 });
  const run = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error;
      const isLost = error.status === GONE || error.status === 0;
      if (isLost) onLost();
      const failed = error.status === 0 ? messages.value.submit.notKept : error.message;
      change({ failed, isChecked: false, progress: undefined, ...(isLost && { check: undefined }) });
    } finally {
      known.current.left -= 1;
      if (known.current.left === 0) change({ isBusy: false });
    }
  };
  const begin = (work: () => Promise<void>) => {
    known.current.last = known.current.last.then(() => run(work));
  };
  const count = () => {
    known.current.left += 1;
    change({ isBusy: true, failed: undefined, unknown: undefined });
  };
  return {
    now: (work: () => Promise<void>) => {
      count();
      begin(work);
    },
    /** Runs the task once nothing was typed for a moment. */
    afterTyping: (work: () => Promise<void>) => {
      if (known.current.timer === 0) count();
      window.clearTimeout(known.current.timer);
      known.current.timer = window.setTimeout(() => {
        known.current.timer = 0;
        begin(work);
      }, AFTER_TYPING);
    },
  };
}

/** Looks for the order of a submission that broke off, until it is there. */
async function lookUp(orderRef: string, signal: AbortSignal, change: Change): Promise<void> {
  for (let isAnswered = false; !signal.aborted; isAnswered = true) {
    change({ unknown: { isAnswered }, progress: undefined });
    const found = await askAgain<OrderFacts>(addressOf(orderRef), signal);
    if (found && !signal.aborted) return change({ unknown: { isAnswered: true, since: found.createdAt } });
    if (isAnswered) await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY));
  }
}

/**
 * The files of the package: the folder of order.json, or the one that all files are in. Hidden files belong to the operating system.
 * `several` are the packages in what was dropped, if it is more than one.
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
  const folder = root.split('/').at(-2) ?? '';
  return { folder, inside, ...(others.some((other) => !other.startsWith(root)) && { several: roots }) };
}

/** @throws CallFailed also when the answer ends without a result. */
async function submission(id: string | undefined, { orderRef, check }: PackageState, change: Change): Promise<void> {
  let isAnswered = false;
  await eachLine<SubmitMessage>(`/api/packages/${id}/submit`, { orderRef }, (message) => {
    isAnswered ||= !('progress' in message);
    if ('progress' in message) change({ progress: message.progress });
    else if ('said' in message) change({ said: message.said });
    else if ('failed' in message) change({ failed: message.failed, progress: undefined });
    else change({ progress: undefined, check: check && { ...check, problems: message.problems } });
  });
  if (!isAnswered) throw new CallFailed(0, { error: messages.value.unanswered });
}
