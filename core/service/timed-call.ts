import { loggable, OrderError } from '../errors.ts';
import { logger } from '../log.ts';
import { isInLambda } from '../settings.ts';
import type { CallKind } from './service-failures.ts';

/**
 * Makes a call and writes its line into the log.
 * @param report gets `Success` or the class of the call's error, and how many milliseconds it took.
 */
export async function timedCall<Result>(
  { title, context }: Pick<CallKind, 'title' | 'context'>,
  send: () => Promise<Result>,
  report: (outcome: string, milliseconds: number) => void,
): Promise<Result> {
  const begun = performance.now();
  const end = (outcome: string, facts = loggable(context)) => {
    const milliseconds = performance.now() - begun;
    report(outcome, milliseconds);
    if (isInLambda()) logger.info(title, { ...facts, outcome, milliseconds: Math.round(milliseconds) });
  };
  try {
    const result = await send();
    end('Success');
    return result;
  } catch (error) {
    if (error instanceof OrderError) end(error.name, loggable({ ...context, ...error.call }));
    else end('Unexpected');
    throw error;
  }
}
