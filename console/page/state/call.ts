import type { Refused } from '../../api.ts';
import { messages } from '../messages/language.ts';

/**
 * Where this browser keeps the key, until the next one: for all tabs of this page, and for a reload. Another port of 127.0.0.1 is
 * another origin, which cannot read it. A cookie would go to every port.
 */
const KEY = 'loan-orders-key';

const given = document.querySelector<HTMLMetaElement>('meta[name=key]');
if (given) localStorage.setItem(KEY, given.content);
given?.remove();
if (location.search.startsWith('?token=')) history.replaceState(null, '', location.pathname);

/** Whether this browser has opened the console, or an earlier one at its port. */
export const wasOpened = () => localStorage.getItem(KEY) !== null;

/** What the console's server refused, or could not do. The message is one sentence for people. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
  /** HTTP status; 0 if no answer came or it broke off. The request may then have been carried out. */
  readonly status: number;
  readonly refused: Refused;

  constructor(status: number, refused: Refused) {
    super(messages.value.failure(refused));
    this.status = status;
    this.refused = refused;
  }
}

/**
 * Calls the console's server. A body is sent as JSON, or as it is if it is a file.
 * @throws CallFailed when it refuses, or does not answer.
 */
export function call<Answer>(path: string, body?: unknown, signal?: AbortSignal): Promise<Answer> {
  return reach(path, { ...posted(body), ...(signal && { signal }) }, (response) => response.json() as Promise<Answer>);
}

/**
 * Calls the console's server, and takes each line of its answer as it comes.
 * @throws CallFailed when it refuses, or breaks off.
 */
export function eachLine<Message>(
  path: string,
  body: unknown,
  onLine: (message: Message) => void,
  signal?: AbortSignal,
): Promise<void> {
  return reach(path, { ...posted(body), ...(signal && { signal }) }, async ({ body: stream }) => {
    const reader = (stream ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ''; ; ) {
      const { value, done } = await reader.read();
      if (done) return;
      const [first = '', ...others] = value.split('\n');
      const lines = [text + first, ...others];
      text = lines.pop() ?? '';
      // An empty line is a sign of life.
      for (const line of lines) if (line !== '') onLine(JSON.parse(line) as Message);
    }
  });
}

/**
 * The bytes of a document.
 * @throws CallFailed when the server refuses, does not answer, or breaks off.
 */
export function bytesOf(path: string, signal: AbortSignal): Promise<ArrayBuffer> {
  const error = messages.value.document.brokenOff;
  return reach(path, { signal }, (response) =>
    response.arrayBuffer().catch(() => Promise.reject(new CallFailed(0, { error }))),
  );
}

/**
 * Downloads what is at this address. The browser does that itself, and sends no key: it gets an address that works once.
 * @throws CallFailed when the server does not answer.
 */
export async function download(path: string): Promise<void> {
  const { address } = await call<{ address: string }>(`/api/once?path=${encodeURIComponent(path)}`);
  // A link asks nobody whether the page may be left.
  Object.assign(document.createElement('a'), { href: address, download: '' }).click();
}

function posted(body: unknown): RequestInit {
  if (body === undefined) return {};
  const [type, sent] = body instanceof Blob ? ['octet-stream', body] : ['json', JSON.stringify(body)];
  return { method: 'POST', headers: { 'content-type': `application/${type}` }, body: sent };
}

/** The one place that reaches the server, and catches what `fetch` and the bodies of its answers throw. */
async function reach<Result>(
  path: string,
  init: RequestInit,
  read: (response: Response) => Promise<Result>,
): Promise<Result> {
  try {
    const authorization = `Bearer ${localStorage.getItem(KEY)}`;
    const response = await fetch(path, { ...init, headers: { ...init.headers, authorization } });
    if (response.ok) return await read(response);
    const refused = await response.json().catch(() => ({ error: response.statusText }));
    throw new CallFailed(response.status, refused as Refused);
  } catch (error) {
    if (error instanceof CallFailed || (error as Error).name === 'AbortError') throw error;
    throw new CallFailed(0, { error: init.method ? messages.value.unanswered : messages.value.console });
  }
}

/** The server's address of an order. */
export const addressOf = (orderRef: string) => `/api/orders/${encodeURIComponent(orderRef)}`;
