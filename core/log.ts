import { Logger } from '@aws-lambda-powertools/logger';
import middy, { type MiddlewareObj, type MiddyfiedHandler } from '@middy/core';
import { isThrottlingError, isTransientError } from '@smithy/core/retry';
import type { Context } from 'aws-lambda';
import { loggable, OrderError, ServiceUnavailable } from './errors.ts';
import { environment } from './settings.ts';

/** The logger of this Lambda environment. Log references and counts only, never an event, a body or a file. */
export const logger = new Logger();

export interface StepLog<Event> {
  /** Fields to add to each log line: references, no personal data. */
  keys(event: Event): Record<string, unknown>;
  /** Writes the service's answer to a refused call to the file `name` in encrypted staging. */
  publishRefusal(event: Event, name: string, refusal: object): Promise<unknown>;
}

/**
 * The middleware of every step. It adds `keys` to each log line, and logs a failure before the state machine gets it. The
 * service's answer to a refused call may contain personal data, so it goes to the encrypted staging bucket only.
 */
export function stepLog<Event>({ keys, publishRefusal }: StepLog<Event>): MiddlewareObj<Event> {
  return {
    before: ({ event, context }) => {
      logger.resetKeys();
      logger.appendKeys({ ...keys(event), awsRequestId: context.awsRequestId });
    },
    onError: async (request) => {
      const error = withTransientFault(request.error);
      if (!error) return;
      request.error = error;
      if (!(error instanceof OrderError)) {
        logger.error(`Unexpected error (${error.name}); see the stack trace`, error);
        return;
      }
      logFailure(error);
      await keepAnswer(error, (name, refusal) => publishRefusal(request.event, name, refusal));
      // Operators read the cause of a failed step in the Step Functions console. The messages of our own errors are written for them.
      error.stack = '';
    },
  };
}

export function logFailure({ name, message, call }: OrderError, level: 'error' | 'warn' = 'error'): void {
  logger[level](message, { error: name, ...loggable(call) });
}

/** Stages the service's answer as a file, with the facts of the call, if it refused a call or could not be used. */
export async function keepAnswer(
  error: OrderError,
  stage: (name: string, refusal: object) => Promise<unknown>,
): Promise<void> {
  const { name, message, call } = error;
  const { excerpt: body, intent, location } = call;
  if (body === undefined) return;
  const at = new Date().toISOString();
  try {
    const refusal = { at, error: name, message, ...loggable(call), location, intent, body };
    await stage(`errors/${at}-${environment('AWS_LAMBDA_FUNCTION_NAME')}.json`, refusal);
  } catch (failure) {
    // The step must fail with the refusal, not with this failure.
    logger.error("The service's answer could not be staged", { error: (failure as Error).name });
  }
}

/**
 * Turns a transient fault of AWS (5xx, throttling, no answer) into `ServiceUnavailable`, which the state machine retries. The SDK has
 * retried it already. Any step may run again: the ledger prevents unsafe repeats of a call. A refusal, such as a missing permission, is not
 * transient.
 */
function withTransientFault(error: Error | null | undefined): Error | null {
  if (!error || error instanceof OrderError) return error ?? null;
  const fault = error as Error & { $fault?: 'client' | 'server'; $metadata?: object } & Parameters<
      typeof isThrottlingError
    >[0];
  const isOfServer = fault.$metadata && fault.$fault !== 'client';
  if (!isThrottlingError(fault) && !isTransientError(fault) && !isOfServer) return error;
  return new ServiceUnavailable(`A call to AWS failed (${error.name}). The step can be run again.`, { cause: error });
}

/** The middleware of every function that events invoke. It adds the request's ID to each log line. The function may add more keys. */
export const eventLog = (): MiddlewareObj<unknown> => ({
  before: ({ context }) => {
    logger.resetKeys();
    logger.appendKeys({ awsRequestId: context.awsRequestId });
  },
});

let running: Context | undefined;
/** Whether the function that runs has more time than that. */
export const isTimeLeft = (seconds: number): boolean => Number(running?.getRemainingTimeInMillis()) > seconds * 1000;

/**
 * Makes a Lambda handler to which middleware can be added. Lambda ends a function that runs out of time. Middy's own timeout is off: it
 * fails the function while the work continues. The state machine would then assume that a call was not made although it is in progress.
 */
export function lambdaHandler<Event, Result>(
  work: (event: Event, context: Context) => Promise<Result>,
): MiddyfiedHandler<Event, Result> {
  return middy(work, { timeoutEarlyInMillis: 0 }).before(({ context }) => {
    running = context;
  });
}
