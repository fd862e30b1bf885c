import type { Refused } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { setClock } from './clock.ts';

/**
 * The storage entry of the key, shared by all tabs and reloads of this page. Another port of 127.0.0.1 is another origin, which cannot read
 * it. A cookie would go to every port.
 */
const KEY = 'loan-orders-key';

const given = document.querySelector<HTMLMetaElement>('meta[name=key]');
if (given) localStorage.setItem(KEY, given.content);
given?.remove();
if (location.search.startsWith('?token=')) history.replaceState(null, '', location.pathname);

/** Whether this browser has opened the console, or an earlier one at its port. */
export const wasOpened = () => localStorage.getItem(KEY) !== null;

/** The HTTP status of an answer that the page has. */
const SAME = 304;

/** A refusal or a failure of the console's server. The message is one sentence for people. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
  /** HTTP status; 0 if there was no answer or it was incomplete. The request may then have been carried out. */
  readonly status: number;
  readonly refused: Refused;

  constructor(status: number, refused: Refused) {
    super(messages.value.failure(refused));
    this.status = status;
    this.refused = refused;
  }
}

/** A body is sent as JSON, a file unchanged. Throws CallFailed when the server refuses, or does not answer. */
export function call<Answer>(path: string, body?: unknown, signal?: AbortSignal): Promise<Answer> {
  return reach(path, { ...posted(body), ...(signal && { signal }) }, (response) => response.json() as Promise<Answer>);
}

/** The answer to a GET; undefined if it is the one that was seen. Throws CallFailed as `call` does. */
export function ask<Answer>(path: string, seen: { path: string; tag: string }, signal: AbortSignal) {
  const headers = { 'if-none-match': seen.path === path ? seen.tag : '' };
  return reach(path, { headers, signal }, async (response) => {
    Object.assign(seen, { path, tag: response.headers.get('etag') ?? '' });
    return response.status === SAME ? undefined : ((await response.json()) as Answer);
  });
}

/** Handles each line of the answer as it arrives. Throws CallFailed when the server refuses, or breaks off. */
export function eachLine<Message>(path: string, body: unknown, onLine: (message: Message) => void): Promise<void> {
  return reach(path, posted(body), async ({ body: stream }) => {
    const reader = (stream ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ''; ; ) {
      const { value, done } = await reader.read();
      if (done) return;
      const [first = '', ...others] = value.split('\n');
      const lines = [text + first, ...others];
      text = lines.pop() ?? '';
      for (const line of lines) onLine(JSON.parse(line) as Message);
    }
  });
}

/** @throws CallFailed when the server refuses, does not answer, or breaks off. */
export function bytesOf(path: string, signal: AbortSignal): Promise<ArrayBuffer> {
  const error = messages.value.document.brokenOff;
  return reach(path, { signal }, (response) =>
    response.arrayBuffer().catch(() => Promise.reject(new CallFailed(0, { error }))),
  );
}

/** The browser downloads without a key, from an address that works once. Throws CallFailed as `call` does. */
export async function download(path: string): Promise<void> {
  const { address } = await call<{ address: string }>(`/api/once?path=${encodeURIComponent(path)}`);
  // A click on a link does not ask whether to leave the page.
  Object.assign(document.createElement('a'), { href: address, download: '' }).click();
}

function posted(body: unknown): RequestInit {
  if (body === undefined) return {};
  if (body instanceof FormData) return { method: 'POST', body };
  const [type, sent] = body instanceof Blob ? ['octet-stream', body] : ['json', JSON.stringify(body)];
  return { method: 'POST', headers: { 'content-type': `application/${type}` }, body: sent };
}

/** The only place that calls the server. Converts errors of `fetch` and of response bodies. */
async function reach<Result>(
  path: string,
  init: RequestInit,
  read: (response: Response) => Promise<Result>,
): Promise<Result> {
  try {
    const authorization = `Bearer ${localStorage.getItem(KEY)}`;
    const response = await fetch(path, { ...init, headers: { ...init.headers, authorization } });
    setClock(response.headers.get('date') ?? '');
    if (response.ok || response.status === SAME) return await read(response);
    const refused = await response.json().catch(() => ({ error: response.statusText }));
    throw new CallFailed(response.status, refused as Refused);
  } catch (error) {
    if (error instanceof CallFailed || (error as Error).name === 'AbortError') throw error;
    throw new CallFailed(0, { error: init.method ? messages.value.unanswered : messages.value.console });
  }
}

export const addressOf = (orderRef: string) => `/api/orders/${encodeURIComponent(orderRef)}`;
