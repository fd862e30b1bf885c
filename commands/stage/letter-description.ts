import { intakePart } from '../../core/package/intake-key.ts';
import type { Letter } from './dead-letters.ts';

/** A dead letter for operators. */
export interface LetterDescription {
  id: string;
  /** The function that could not handle it. */
  function: string;
  /** When it was sent. */
  at: string;
  orderRef: string | undefined;
  /** What arrived: `package`, `document`, `signature`, `decision`, `execution end`, … */
  what: string;
  why: string;
  /** How often it was received, by functions and by commands. */
  receives: number;
  /** The event, or the text of a message that is no JSON. */
  event: unknown;
}

interface LetterEvent {
  detail?: { object?: { key?: unknown }; input?: unknown } | null;
  /** Of the record that Lambda writes of a failed asynchronous invocation. */
  responsePayload?: { errorType?: string; errorMessage?: string };
}

export function describeLetter({ id, queue, message }: Letter): LetterDescription {
  const { Body = '', Attributes, MessageAttributes } = message;
  const event = parsed(Body);
  const content = (typeof event === 'object' && event !== null ? event : {}) as LetterEvent;
  const receives = Number(Attributes?.ApproximateReceiveCount ?? 0);
  const { ERROR_CODE: code, ERROR_MESSAGE: text } = MessageAttributes ?? {};
  return {
    id,
    function: queue.function,
    at: new Date(Number(Attributes?.SentTimestamp)).toISOString(),
    ...subjectOf(content, queue.function),
    why: why({ code: code?.StringValue, text: text?.StringValue, failure: content.responsePayload }, queue.function),
    receives,
    event,
  };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

function subjectOf({ detail }: LetterEvent, name: string): Pick<LetterDescription, 'orderRef' | 'what'> {
  if (name === 'sweep-orders') return { orderRef: undefined, what: 'a sweep' };
  const { object, input } = detail ?? {};
  if (typeof object?.key === 'string') {
    const part = intakePart(object.key);
    return { orderRef: part?.folder, what: part?.part ?? 'another file' };
  }
  if (typeof input !== 'string') return { orderRef: undefined, what: 'unknown' };
  const { orderRef } = (parsed(input) ?? {}) as { orderRef?: unknown };
  return { orderRef: typeof orderRef === 'string' ? orderRef : undefined, what: 'execution end' };
}

interface Reasons {
  code: string | undefined;
  text: string | undefined;
  failure: LetterEvent['responsePayload'];
}

/** SQS keeps no reason for a failure. EventBridge, the scheduler and Lambda add one to what they could not deliver. */
function why({ code, text, failure }: Reasons, name: string): string {
  if (code !== undefined) return `not delivered: ${text ? `${code}, ${text}` : code}`;
  if (failure?.errorType !== undefined) return `failed: ${failure.errorType}`;
  return `failed until it was given up; the log of ${name} has the reason`;
}
