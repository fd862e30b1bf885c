import { errorNames } from '../errors.ts';

/** EventBridge's `Step Functions Execution Status Change`, as far as it is used here. */
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
 * The sentence for people. Lambda wraps an error into JSON with a stack trace; of errors that are not ours, whose message may say
 * anything, only the name is passed on.
 * @param whatNow ends a sentence of ours that says nothing was lost.
 */
export function readableCause({ status, error, cause }: ExecutionEnded['detail'], whatNow: string): string {
  const wrapped = /^\{.*"errorMessage"/s.test(cause ?? '');
  if (wrapped && errorNames.includes(error ?? ''))
    return (JSON.parse(cause ?? '') as { errorMessage: string }).errorMessage;
  if (wrapped) return `A function failed with ${error}; its log has the details. Nothing is lost: ${whatNow}.`;
  return cause ?? `The execution ended as ${status}. Nothing is lost: ${whatNow}.`;
}
