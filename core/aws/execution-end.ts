import { bounded } from '../bounded.ts';
import { errorNames } from '../errors.ts';
import { UnusableEvent } from '../queue-batch.ts';

/** The event `Step Functions Execution Status Change` of EventBridge: the fields that we use. */
export interface ExecutionChanged {
  detail: {
    executionArn: string;
    status: string;
    /** When it ended, in milliseconds since the epoch. Null while it runs. */
    stopDate: number | null;
    redriveCount?: number | null;
    input?: string | null;
    error?: string | null;
    cause?: string | null;
  };
}

/** @throws UnusableEvent if Step Functions cannot have sent this event. */
export function executionChanged(event: unknown): ExecutionChanged {
  const { executionArn, status, stopDate, redriveCount, ...texts } = ((event as Partial<ExecutionChanged> | null)
    ?.detail ?? {}) as Partial<ExecutionChanged['detail']>;
  const isNamed = typeof executionArn === 'string' && typeof status === 'string';
  const ended = typeof stopDate === 'number' && !Number.isNaN(new Date(stopDate).getTime());
  const isDated = ended || status === 'RUNNING';
  const isCounted = Number.isSafeInteger(redriveCount ?? 0);
  const isText = [texts.input, texts.error, texts.cause].every((text) => typeof (text ?? '') === 'string');
  if (isNamed && isDated && isCounted && isText) return event as ExecutionChanged;
  throw new UnusableEvent('The message is no event of an execution that ended, or was redriven.');
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
