import type { Refused } from '../../api.ts';
import { messages } from '../messages/language.ts';

/** What the console's server refused, or could not do. The message is one sentence for people. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
  /** HTTP status; 0 if no answer came or it broke off. The request may then have been carried out. */
  readonly status: number;
  readonly difference: Refused['difference'];

  constructor(status: number, refused: Refused) {
    super(messages.value.refusal(refused.error));
    this.status = status;
    this.difference = refused.difference;
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
export function eachLine<Message>(path: string, body: unknown, onLine: (message: Message) => void): Promise<void> {
  return reach(path, posted(body), async ({ body: stream }) => {
    const reader = (stream ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ''; ; ) {
      const { value, done } = await reader.read();
      if (done) return;
      const lines = (text + value).split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) onLine(JSON.parse(line) as Message);
    }
  });
}

/**
 * The bytes of a document.
 * @param brokenOff the message if the bytes break off.
 * @throws CallFailed when the server refuses, does not answer, or breaks off.
 */
export function bytesOf(path: string, signal: AbortSignal, brokenOff: string): Promise<ArrayBuffer> {
  return reach(path, { signal }, (response) =>
    response.arrayBuffer().catch(() => Promise.reject(new CallFailed(0, { error: brokenOff }))),
  );
}

/** Why the server refuses this address; undefined if it does not. */
export function refusalOf(path: string): Promise<CallFailed | undefined> {
  return reach(path, {}, async ({ body }) => void body?.cancel()).then(
    () => undefined,
    (error: CallFailed) => error,
  );
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
    const response = await fetch(path, init);
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

const AGAIN_AFTER = 2_000;

/**
 * Asks until the console's server answers.
 * @returns the answer; undefined for a refusal of the server (409), and when the signal ended this.
 */
export async function askAgain<Answer>(path: string, signal: AbortSignal): Promise<Answer | undefined> {
  while (!signal.aborted) {
    try {
      return await call<Answer>(path);
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error;
      if (error.status === 409) return undefined;
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER));
  }
  return undefined;
}
