import type { Json } from '../protocol/json.ts';
import { text, withOutput } from './history.ts';
import { parseTaskResource } from './task-resource.ts';

/** An event of a Task for the history. */
export interface TaskEvent {
  type: string;
  details: object;
}

/** A Resource that is a function's ARN has `LambdaFunction…` events. Every other integration has `Task…` events. */
function named(resource: string): { isFunction: boolean; identity: { resourceType: string; resource: string } } {
  const parsed = parseTaskResource(resource);
  const suffix = parsed?.waitsForToken ? '.waitForTaskToken' : '';
  return {
    isFunction: parsed?.service === 'function',
    identity: { resourceType: parsed?.service ?? '', resource: `${parsed?.action}${suffix}` },
  };
}

export function taskScheduled(
  resource: string,
  parameters: Json,
  region: string,
  timeout: number | undefined,
): TaskEvent {
  const { isFunction, identity } = named(resource);
  const timeoutInSeconds = timeout === undefined ? {} : { timeoutInSeconds: timeout };
  if (isFunction) {
    const details = { resource, input: text(parameters), inputDetails: { truncated: false }, ...timeoutInSeconds };
    return { type: 'LambdaFunctionScheduled', details: { lambdaFunctionScheduledEventDetails: details } };
  }
  const details = { ...identity, region, parameters: text(parameters), ...timeoutInSeconds };
  return { type: 'TaskScheduled', details: { taskScheduledEventDetails: details } };
}

export function taskStarted(resource: string): TaskEvent {
  const { isFunction, identity } = named(resource);
  if (isFunction) return { type: 'LambdaFunctionStarted', details: {} };
  return { type: 'TaskStarted', details: { taskStartedEventDetails: identity } };
}

/** The service has accepted the request, and the Task waits for its token. */
export function taskSubmitted(resource: string, output: Json): TaskEvent {
  const details = { ...named(resource).identity, ...withOutput(text(output)) };
  return { type: 'TaskSubmitted', details: { taskSubmittedEventDetails: details } };
}

export function taskSucceeded(resource: string, output: Json): TaskEvent {
  const { isFunction, identity } = named(resource);
  const result = withOutput(text(output));
  if (isFunction) return { type: 'LambdaFunctionSucceeded', details: { lambdaFunctionSucceededEventDetails: result } };
  return { type: 'TaskSucceeded', details: { taskSucceededEventDetails: { ...identity, ...result } } };
}

export function taskFailure(resource: string, error: string, cause: string): TaskEvent {
  const { isFunction, identity } = named(resource);
  const outcome = error === 'States.Timeout' ? 'TimedOut' : 'Failed';
  const why = { error, ...(cause && { cause }) };
  if (isFunction) {
    return { type: `LambdaFunction${outcome}`, details: { [`lambdaFunction${outcome}EventDetails`]: why } };
  }
  return { type: `Task${outcome}`, details: { [`task${outcome}EventDetails`]: { ...identity, ...why } } };
}
