import { errorNames } from '../errors.ts';

/** The event `Step Functions Execution Status Change` of EventBridge: the fields that we use. */
export interface ExecutionEnded {
  detail: {
    executionArn: string;
    status: string;
    /** When it ended, in milliseconds since the epoch. */
    stopDate: number;
    input?: string;
    error?: string;
    cause?: string;
  };
}

/**
 * Describes for people why the execution ended. Lambda wraps an error in JSON with a stack trace. Only the messages of our
 * own errors are passed on: the message of any other error may contain personal data.
 * @param whatNow ends the sentence "Nothing is lost: …".
 */
export function readableCause(
  { status, error, cause }: { status: string; error?: string | undefined; cause?: string | undefined },
  whatNow: string,
): string {
  const wrapped = /^\{.*"errorMessage"/s.test(cause ?? '');
  if (wrapped && errorNames.includes(error ?? ''))
    return (JSON.parse(cause ?? '') as { errorMessage: string }).errorMessage;
  if (wrapped) return `A function failed with ${error}; its log has the details. Nothing is lost: ${whatNow}.`;
  return cause ?? `The execution ended as ${status}. Nothing is lost: ${whatNow}.`;
}
