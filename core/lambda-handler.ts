import middy, { type MiddyfiedHandler } from '@middy/core';
import type { Context } from 'aws-lambda';

/**
 * Makes a Lambda handler to which middleware can be added. Lambda ends a function that runs out of time. Middy's own timeout
 * is off: it fails the function while the work continues. The state machine would then believe that a call was not
 * made although it is under way.
 */
export function lambdaHandler<Event, Result>(
  work: (event: Event, context: Context) => Promise<Result>,
): MiddyfiedHandler<Event, Result> {
  return middy(work, { timeoutEarlyInMillis: 0 });
}
