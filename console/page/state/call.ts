import type { Refused } from '../../api.ts';
import { messages } from '../messages/language.ts';

/** What the console's server refused, or could not do. The message is one sentence for people. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
  readonly status: number;
  readonly refused: Refused;

  constructor(status: number, refused: Refused) {
    super(messages.value.refusal(refused.error));
    this.status = status;
    this.refused = refused;
  }
}

/**
 * Calls the console's server.
 * @throws CallFailed when it refuses, or cannot be reached.
 */
export async function call<Answer>(path: string, body?: unknown, signal?: AbortSignal): Promise<Answer> {
  const change = body !== undefined && {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  const response = await fetch(path, { ...change, ...(signal && { signal }) }).catch((error: Error) => {
    if (error.name === 'AbortError') throw error;
    throw new CallFailed(0, { error: '' });
  });
  return answerOf<Answer>(response);
}

/**
 * The JSON of an answer.
 * @throws CallFailed when it is a refusal.
 */
export async function answerOf<Answer>(response: Response): Promise<Answer> {
  if (response.ok) return (await response.json()) as Answer;
  const refused = await response.json().catch(() => ({ error: response.statusText }));
  throw new CallFailed(response.status, refused as Refused);
}
