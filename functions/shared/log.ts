import { Logger } from '@aws-lambda-powertools/logger';
import type { MiddlewareObj } from '@middy/core';
import { isThrottlingError, isTransientError } from '@smithy/core/retry';
import { environment } from './environment.ts';
import { OrderError, ServiceUnavailable } from './errors.ts';

/** The log of this Lambda environment. Lines carry references and counts, never an event, a body or a file. */
export const logger = new Logger();

export interface StepLog<Event> {
  /** What each log line names: references, nothing personal. */
  keys(event: Event): Record<string, unknown>;
  /** Keeps what the service said of a refused call, in encrypted staging; `name` is the file's. */
  stageRefusal(event: Event, name: string, refusal: object): Promise<unknown>;
}

/**
 * What every step has around it: each log line names what it is for; a failure is logged with its name and goes on as it is, so
 * that the state machine sees it. What the service said of a refused call may echo personal data: it goes to the encrypted
 * staging bucket and nowhere else.
 */
export function stepLog<Event>({ keys, stageRefusal }: StepLog<Event>): MiddlewareObj<Event> {
  return {
    before: ({ event, context }) => {
      logger.resetKeys();
      logger.appendKeys({ ...keys(event), requestId: context.awsRequestId });
    },
    onError: async (request) => {
      const error = passingFault(request.error);
      if (!error) return;
      request.error = error;
      const { name, message } = error;
      const known = error instanceof OrderError;
      if (known) logger.error(message, { error: name, httpStatus: error.httpStatus });
      else logger.error(`${name}: see its stack`, error);
      if (!known) return;
      await keepRefusal(error, (name, refusal) => stageRefusal(request.event, name, refusal));
    },
  };
}

/**
 * Keeps what a service said that refused a call, or answered something that can't be used.
 * @param stage writes it; `name` is the file's.
 */
export async function keepRefusal(
  error: OrderError,
  stage: (name: string, refusal: object) => Promise<unknown>,
): Promise<void> {
  if (error.excerpt === undefined) return;
  const refusal = describeRefusal(error, error.excerpt);
  try {
    await stage(`errors/${refusal.at}-${environment('AWS_LAMBDA_FUNCTION_NAME')}.json`, refusal);
  } catch (failure) {
    // The refusal itself is what must be acted on.
    logger.error('The words of the order service could not be staged', { error: (failure as Error).name });
  }
}

function describeRefusal({ name, message, httpStatus, requestReference }: OrderError, excerpt: string) {
  return { at: new Date().toISOString(), error: name, message, httpStatus, requestReference, body: excerpt };
}

type Fault = Parameters<typeof isThrottlingError>[0];

/** What an error of an AWS SDK client says of itself. */
interface AwsFault {
  $fault?: 'client' | 'server';
  $metadata?: object;
}

/**
 * A fault of AWS itself (a 5xx, throttling, no answer) that outlived the SDK's own attempts is one that the state machine
 * may retry: every step may be run again, and the ledger sees to what must not be. A refusal, such as a missing right, is not.
 */
function passingFault(error: Error | null | undefined): Error | null {
  // Our own errors say themselves what they are, whatever caused them.
  if (!error || error instanceof OrderError) return error ?? null;
  const { $fault, $metadata, name } = error as Error & AwsFault;
  const passing = isThrottlingError(error as Fault) || isTransientError(error as Fault);
  if (!passing && !($metadata && $fault !== 'client')) return error;
  return new ServiceUnavailable(`AWS did not answer as it should (${name}). The step can be run again.`, {
    cause: error,
  });
}
