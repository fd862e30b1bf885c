import middy, { type MiddyfiedHandler } from '@middy/core';
import type { Context } from 'aws-lambda';

/**
 * A function as Lambda calls it; what stands around its work is added to it. By default middy answers a few milliseconds before the deadline
 * with an ordinary error while the work goes on: the state machine would take a call that may be under way for one that was not made, and
 * the work would be carried on when Lambda thaws the environment. A function that runs out of time is ended by Lambda.
 */
export function lambdaHandler<Event, Result>(
  work: (event: Event, context: Context) => Promise<Result>,
): MiddyfiedHandler<Event, Result> {
  return middy(work, { timeoutEarlyInMillis: 0 });
}
