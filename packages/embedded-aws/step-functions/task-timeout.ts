import { isJsonObject, type Json, type JsonObject } from '../protocol/operation.ts';
import { NO_TIMEOUT_SECONDS } from './engine.ts';

/** Carries the value of a TimeoutSecondsPath among a Task's parameters. */
const CARRIED = '__timeoutSeconds';

/**
 * Gives every Task a timeout that the library understands. The library's default is one minute, and it reads TimeoutSecondsPath from the
 * Task's parameters. Step Functions reads it from the state's input, so the value is copied into the parameters.
 */
export function prepareTimeout(state: JsonObject): void {
  if (!('TimeoutSeconds' in state) && !('TimeoutSecondsPath' in state)) state.TimeoutSeconds = NO_TIMEOUT_SECONDS;
  if (!('TimeoutSecondsPath' in state) || !isJsonObject(state.Parameters)) return;
  state.Parameters = { ...state.Parameters, [`${CARRIED}.$`]: state.TimeoutSecondsPath ?? null };
  state.TimeoutSecondsPath = `$.${CARRIED}`;
}

/** A Task's own parameters, and its timeout in seconds; undefined if it has none. */
export function takeTimeout(state: JsonObject, given: Json): { parameters: Json; timeout: number | undefined } {
  const { TimeoutSeconds } = state;
  if (!isJsonObject(given) || !(CARRIED in given)) {
    const hasTimeout = typeof TimeoutSeconds === 'number' && TimeoutSeconds !== NO_TIMEOUT_SECONDS;
    return { parameters: given, timeout: hasTimeout ? TimeoutSeconds : undefined };
  }
  const { [CARRIED]: carried, ...parameters } = given;
  return { parameters, timeout: typeof carried === 'number' ? carried : undefined };
}
