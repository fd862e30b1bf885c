import { isJsonObject, type Json, type JsonObject } from '../protocol/operation.ts';
import { NO_TIMEOUT_SECONDS } from './engine.ts';

/** The name of the parameter that has the value of TimeoutSecondsPath. */
const CARRIED = '__timeoutSeconds';

/**
 * Changes a Task's timeout to one that the library supports. Its default is one minute instead of none. It reads TimeoutSecondsPath from
 * the parameters, but Step Functions from the state's input, so the value is copied into the parameters.
 */
export function prepareTimeout(state: JsonObject): void {
  if (!('TimeoutSeconds' in state) && !('TimeoutSecondsPath' in state)) state.TimeoutSeconds = NO_TIMEOUT_SECONDS;
  if (!('TimeoutSecondsPath' in state) || !isJsonObject(state.Parameters)) return;
  state.Parameters = { ...state.Parameters, [`${CARRIED}.$`]: state.TimeoutSecondsPath ?? null };
  state.TimeoutSecondsPath = `$.${CARRIED}`;
}

/** Returns the Task's parameters without the added one, and the timeout in seconds; undefined if it has none. */
export function takeTimeout(state: JsonObject, given: Json): { parameters: Json; timeout: number | undefined } {
  const { TimeoutSeconds } = state;
  if (!isJsonObject(given) || !(CARRIED in given)) {
    const hasTimeout = typeof TimeoutSeconds === 'number' && TimeoutSeconds !== NO_TIMEOUT_SECONDS;
    return { parameters: given, timeout: hasTimeout ? TimeoutSeconds : undefined };
  }
  const { [CARRIED]: carried, ...parameters } = given;
  return { parameters, timeout: typeof carried === 'number' ? carried : undefined };
}
