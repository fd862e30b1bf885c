import { bounded } from '../bounded.ts';
import { errorNames } from '../errors.ts';
import { UnusableEvent } from '../queue-batch.ts';

/** The event `Step Functions Execution Status Change` of EventBridge: the fields that we use. */
export interface ExecutionEnded {
  detail: {
    executionArn: string;
    status: string;
    /** When it ended, in milliseconds since the epoch. */
    stopDate: number;
    input?: string | null;
    error?: string | null;
    cause?: string | null;
  };
}

/** @throws UnusableEvent if Step Functions cannot have sent this event. */
export function executionEnded(event: unknown): ExecutionEnded {
  const { executionArn, status, stopDate, ...texts } = ((event as Partial<ExecutionEnded> | null)?.detail ??
    {}) as Partial<ExecutionEnded['detail']>;
  const isNamed = typeof executionArn === 'string' && typeof status === 'string';
  const isDated = typeof stopDate === 'number' && !Number.isNaN(new Date(stopDate).getTime());
  const isText = [texts.input, texts.error, texts.cause].every((text) => typeof (text ?? '') === 'string');
  if (isNamed && isDated && isText) return event as ExecutionEnded;
  throw new UnusableEvent('The message is no event of an execution that ended.');
}

/**
 * Describes for people why the execution ended. The text is never empty. Lambda wraps an error in JSON with a stack trace.
 * Only the messages of our own errors are passed on: the message of any other error may contain personal data.
 * @param whatNow ends the sentence "Nothing is lost: …".
 */
export function readableCause(
  { status, error, cause }: { status: string; error?: string | null | undefined; cause?: string | null | undefined },
  whatNow: string,
): string {
  const wrapped = cause?.includes('"errorMessage"') ?? false;
  // Step Functions gives a timeout no cause: an empty text, or null in events.
  const plain =
    cause || `The execution ended as ${status}${error ? ` with ${error}` : ''}. Nothing is lost: ${whatNow}.`;
  if (!wrapped) return bounded(plain);
  const message = errorNames.includes(error ?? '') ? messageIn(cause ?? '') : undefined;
  return message ?? `A function failed with ${error}; its log has the details. Nothing is lost: ${whatNow}.`;
}

/** The message of a wrapped error; undefined if there is none. A cause has at most 32,768 characters, so its JSON may be cut. */
function messageIn(cause: string): string | undefined {
  try {
    const { errorMessage } = JSON.parse(cause) as { errorMessage?: unknown };
    return typeof errorMessage === 'string' ? errorMessage : undefined;
  } catch {
    return undefined;
  }
}
