import { useRef, useState } from 'preact/hooks';
import type { PackageCheck, SubmitMessage } from '../../api.ts';
import { messages } from '../messages/language.ts';
import type { DroppedFile } from '../parts/drop-zone.tsx';
import { form } from '../parts/format.ts';
import type { Tell } from '../parts/sent.tsx';
import { CallFailed, call, eachLine } from '../state/call.ts';

export interface PackageState {
  /** From the folder's name, or typed. Answers of the server do not change it. */
  orderRef: string;
  /** The path of the dropped folder; empty for single files. */
  folder: string;
  /** Files that differ from the folder: dropped later, or edited here. */
  later: ReadonlySet<string>;
  check?: PackageCheck | undefined;
  /** Whether the check covers the latest files and texts. */
  isChecked?: boolean;
  files: ReadonlyMap<string, File>;
  /** Counts drops, because each may contain a new order.json. */
  drops: number;
  isBusy?: boolean;
  failed?: string | undefined;
}

export interface LastLook extends PackageState {
  id: string | undefined;
}

type Change = (changes: Partial<PackageState>) => void;

const NONE = { orderRef: '', folder: '', later: new Set<string>(), files: new Map<string, File>(), check: undefined };
/** Milliseconds. */
const AFTER_TYPING = 500;
/** The HTTP status if the console has restarted, or newer packages replaced this one. */
const GONE = 410;

export function usePackage() {
  const [state, setState] = useState<PackageState>({ ...NONE, drops: 0 });
  const change: Change = (changes) => setState((before) => ({ ...before, ...changes }));
  const draft = useRef<{ id?: string | undefined; orderRef: string; text?: string | undefined }>({ orderRef: '' });
  const works = useWorks(change, () => {
    draft.current.id = undefined;
  });
  const put = (path: string, body: Blob) =>
    call(`/api/packages/${draft.current.id}/files?path=${encodeURIComponent(path)}`, body);
  const check = async () => {
    const { id, orderRef } = draft.current;
    if (id === undefined) return;
    const found = await call<PackageCheck>(`/api/packages/${id}/check`, { orderRef });
    change({ check: found, isChecked: true });
  };
  const keepTyped = async () => {
    const { text } = draft.current;
    draft.current.text = undefined;
    if (text !== undefined) await put('order.json', new Blob([text]));
    await check();
  };
  const forget = () => {
    draft.current = { orderRef: '' };
    change({ ...NONE, failed: undefined });
  };
  return {
    state,
    /** A package replaces the present one and its reference. Single files are added to the present one. */
    add: (files: DroppedFile[]) => {
      const { folder, inside, several } = rooted(files);
      if (several) return change({ failed: messages.value.submit.several(several.slice(0, 3).join(', ')) });
      const isWhole = folder !== '' || (inside.length > 1 && inside.some(({ path }) => path === 'order.json'));
      return works.now(async () => {
        const isNew = isWhole || draft.current.id === undefined;
        if (isNew) {
          const orderRef = folder.split('/').at(-1) ?? '';
          draft.current = { orderRef };
          change({ ...NONE, orderRef, folder });
          draft.current.id = (await call<{ id: string }>('/api/packages', {})).id;
        }
        for (const { path, file } of inside) await put(path, file);
        const known = new Map(inside.map(({ path, file }) => [path, file]));
        // A dropped order.json replaces typed text.
        if (known.has('order.json')) draft.current.text = undefined;
        await keepTyped();
        setState((before) => ({
          ...before,
          // Text that was typed meanwhile stays in its field.
          drops: before.drops + Number(draft.current.text === undefined),
          files: new Map([...before.files, ...known]),
          later: new Set([...before.later, ...(isNew ? [] : known.keys())]),
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
      setState((before) => ({ ...before, later: new Set([...before.later, 'order.json']) }));
      works.afterTyping(keepTyped);
    },
    lookAt: (): LastLook => ({ ...state, id: draft.current.id }),
    /** Submits the reviewed package, whatever is dropped meanwhile. */
    submit: async (look: LastLook, tell: Tell) => {
      const isHere = () => draft.current.id === look.id;
      const said = await submission(look, tell, (changes) => isHere() && change(changes));
      if (isHere()) forget();
      return said;
    },
    forget,
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
      change({ failed, isChecked: false, ...(isLost && { check: undefined }) });
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
    change({ isBusy: true, failed: undefined });
  };
  return {
    now: (work: () => Promise<void>) => {
      count();
      begin(work);
    },
    /** Runs the task after a short pause in typing. */
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
async function submission({ id, orderRef, check }: LastLook, tell: Tell, change: Change): Promise<string> {
  const words = messages.value.submit;
  let last: SubmitMessage | undefined;
  await eachLine<SubmitMessage>(`/api/packages/${id}/submit`, { orderRef }, (message) => {
    last = message;
    if (!('progress' in message)) return;
    const { name, done, total } = message.progress;
    tell(done < total ? `${words.uploading(name)}, ${Math.floor((100 * done) / total)} %` : words.waiting);
  });
  if (!last || 'progress' in last) throw new CallFailed(0, { error: messages.value.unanswered });
  if ('said' in last) return `${words.submitted(orderRef)} ${last.said}`;
  if ('failed' in last) throw new CallFailed(last.status, last.failed);
  const { problems } = last;
  change({ check: check && { ...check, problems } });
  throw new CallFailed(409, { error: form(problems.length, words.problems) });
}
