import { loggable, type OrderError, Superseded, Throttled } from '../errors.ts';
import { keepAnswer, lambdaHandler, logger, stepLog } from '../log.ts';
import { isOrderRef } from '../package/intake-key.ts';
import { publishJson } from '../staging/staging.ts';
import { claimRedriven } from './drivers.ts';

/** The input of every step of the state machine: the order, and its execution from the Step Functions context. */
export interface StepInput {
  orderRef: string;
  generation?: number;
  execution?: { Id: string; RedriveCount?: number };
}

/**
 * The handler of a step of an order. Each line of its log has `orderRef` and `generation`. A redriven execution claims the order again.
 * @param putOff see {@link postponable}. Absent if the step cannot be put off.
 */
export function orderStep<Input extends Omit<StepInput, 'execution'>, Output>(
  step: (input: Input) => Promise<Output>,
  putOff?: (input: Input, until: string) => Output,
) {
  const claimed = async (input: Input) => {
    const { orderRef, generation, execution }: StepInput = input;
    const { Id = '', RedriveCount: redrives = 0 } = execution ?? {};
    if (redrives > 0 && generation !== undefined)
      await claimRedriven({ orderRef, generation, execution: Id, redrives });
    return step(input);
  };
  return stepHandler(claimed, putOff);
}

/** Like {@link orderStep}, for the step that claims the order itself. */
export function stepHandler<Input extends Omit<StepInput, 'execution'>, Output>(
  step: (input: Input) => Promise<Output>,
  putOff?: (input: Input, until: string) => Output,
) {
  const log = stepLog<StepInput>({
    keys: orderIn,
    publishRefusal: ({ orderRef }, name, refusal) => publishJson(orderRef, name, refusal),
  });
  return lambdaHandler(putOff ? postponable(step, putOff) : step).use(log);
}

/** @throws Superseded if there is none. People may start an execution with any input, such as a name, which must not go to the log. */
function orderIn({ orderRef, generation }: StepInput) {
  if (isOrderRef(orderRef) && Number.isSafeInteger(generation ?? 1)) return { orderRef, generation };
  throw new Superseded("The execution's input names no order. This execution stops. Nothing was done.");
}

/**
 * A step that the service may put off with a long `Retry-After`, or that a paused stage holds. Such a step does not fail: it ends with
 * another output, and the state machine waits, reads the order and comes back to the step.
 * @param putOff the output then. `until` is the recorded time before which the service must not be called.
 */
function postponable<Event, Output>(
  step: (event: Event) => Promise<Output>,
  putOff: (event: Event, until: string) => Output,
): (event: Event) => Promise<Output> {
  return async (event) => {
    try {
      return await step(event);
    } catch (error) {
      if (!(error instanceof Throttled) || error.call.postponedUntil === undefined) throw error;
      logger.warn(`${error.message} The step is run again later.`, loggable(error.call));
      return putOff(event, error.call.postponedUntil);
    }
  };
}

/** Stages for operators what the service answered to a call that failed, if the step does not fail with it. */
export const publishAnswer = (orderRef: string, error: OrderError): Promise<void> =>
  keepAnswer(error, (name, refusal) => publishJson(orderRef, name, refusal));
