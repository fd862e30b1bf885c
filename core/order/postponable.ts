import { Throttled } from '../errors.ts';
import { logger } from '../log.ts';

/**
 * Makes a step that the service may put off with a long `Retry-After`, or that a paused stage holds. Such a step does not fail. It ends with another
 * output, and the state machine waits, reads the order and comes back to the step.
 * @param putOff the output then. `until` is the recorded time before which the service must not be called.
 */
export function postponable<Event, Output>(
  step: (event: Event) => Promise<Output>,
  putOff: (event: Event, until: string) => Output,
): (event: Event) => Promise<Output> {
  return async (event) => {
    try {
      return await step(event);
    } catch (error) {
      const until = error instanceof Throttled ? error.call.postponedUntil : undefined;
      if (until === undefined) throw error;
      logger.warn(`${(error as Throttled).message} The step is run again later.`, { postponedUntil: until });
      return putOff(event, until);
    }
  };
}
