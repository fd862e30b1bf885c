import { useState } from 'preact/hooks';
import type { PackageCheck, SubmitMessage } from '../../api.ts';
import { messages } from '../messages/language.ts';
import type { DroppedFile } from '../parts/drop-zone.tsx';
import { answerOf, CallFailed, call } from '../state/call.ts';

/** A package on the page: what is known of it, and how far its submission is. */
export interface PackageState {
  id?: string;
  orderRef: string;
  check?: PackageCheck;
  isBusy?: boolean;
  failed?: string;
  progress?: { name: string; done: number; total: number };
  said?: string;
}

const EMPTY: PackageState = { orderRef: '' };

/** A package that is dropped, mended and submitted. */
export function usePackage() {
  const [state, setState] = useState<PackageState>(EMPTY);
  const change = (changes: Partial<PackageState>) => setState((known) => ({ ...known, ...changes }));
  const attempt = async (work: () => Promise<void>) => {
    setState(({ failed: _failed, ...known }) => ({ ...known, isBusy: true }));
    try {
      await work();
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error;
      change({ failed: error.message || messages.value.consoleGone });
    } finally {
      change({ isBusy: false });
    }
  };
  const check = async (id: string, orderRef: string) =>
    change({ id, orderRef, check: await call<PackageCheck>(`/api/packages/${id}/check`, { orderRef }) });
  const put = async (id: string, path: string, body: Blob) => {
    const headers = { 'content-type': 'application/octet-stream' };
    const address = `/api/packages/${id}/files?path=${encodeURIComponent(path)}`;
    await answerOf(await fetch(address, { method: 'POST', headers, body }));
  };
  return {
    state,
    /** A new package, or more files of the one that is there. */
    add: (files: DroppedFile[]) =>
      attempt(async () => {
        const { folder, inside } = rooted(files);
        const id = state.id ?? (await call<{ id: string }>('/api/packages', {})).id;
        for (const { path, file } of inside) await put(id, path, file);
        await check(id, state.orderRef || folder);
      }),
    rename: (orderRef: string) => {
      change({ orderRef });
      if (state.id !== undefined) void attempt(() => check(state.id as string, orderRef));
    },
    /** Writes another order.json. */
    edit: (text: string) =>
      attempt(async () => {
        if (state.id === undefined) return;
        await put(state.id, 'order.json', new Blob([text]));
        await check(state.id, state.orderRef);
      }),
    submit: () =>
      attempt(async () => {
        for await (const message of submission(state)) {
          if ('progress' in message) change({ progress: message.progress });
          else if ('said' in message) change({ said: message.said });
          else if ('failed' in message) throw new CallFailed(0, { error: message.failed });
          else if (state.check) change({ check: { ...state.check, problems: message.problems } });
        }
      }),
    forget: () => setState(EMPTY),
  };
}

/** The folder that all files are in is the package itself. Hidden files belong to the operating system. */
function rooted(files: DroppedFile[]): { folder: string; inside: DroppedFile[] } {
  const shown = files.filter(({ path }) => !path.split('/').some((name) => name.startsWith('.')));
  const [folder = ''] = shown[0]?.path.split('/') ?? [];
  const isOne = shown.every(({ path }) => path.startsWith(`${folder}/`)) && folder !== 'documents';
  if (!isOne) return { folder: '', inside: shown };
  return { folder, inside: shown.map(({ path, file }) => ({ path: path.slice(folder.length + 1), file })) };
}

async function* submission({ id, orderRef }: PackageState): AsyncGenerator<SubmitMessage> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`/api/packages/${id}/submit`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ orderRef }),
  });
  if (!response.ok || !response.body) {
    await answerOf(response);
    return;
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ''; ; ) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (text + value).split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as SubmitMessage;
  }
}
