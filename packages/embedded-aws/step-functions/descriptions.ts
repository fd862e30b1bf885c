import { AwsError, type JsonObject, notSupported, optionalNumber, optionalString } from '../protocol/operation.ts';
import type { Execution } from './execution.ts';
import { redriveStatus } from './status-event.ts';

export function executionHistory({ history }: Execution, input: JsonObject): object {
  const ordered = input.reverseOrder === true ? history.events.toReversed() : history.events;
  if (input.includeExecutionData === false) throw notSupported('ValidationException', 'includeExecutionData: false');
  return page('events', ordered, input);
}

const DEFAULT_PAGE_SIZE = 100;
const LARGEST_PAGE = 1_000;

/** A page of a list, by `maxResults` and `nextToken`. The token is the start of the next page. */
export function page(member: string, items: readonly object[], input: JsonObject): object {
  const start = Number(optionalString(input, 'nextToken') ?? 0);
  if (!Number.isInteger(start)) throw new AwsError('InvalidToken', "Invalid Token: 'Invalid token'");
  const size = optionalNumber(input, 'maxResults') || DEFAULT_PAGE_SIZE;
  if (size > LARGEST_PAGE) throw new AwsError('ValidationException', `maxResults is at most ${LARGEST_PAGE}.`);
  const end = start + size;
  return { [member]: items.slice(start, end), ...(end < items.length ? { nextToken: String(end) } : {}) };
}

export function listExecution(execution: Execution): object {
  const { arn: executionArn, stateMachine, name, status, startDate, stopDate, redriveCount, redriveDate } = execution;
  return {
    executionArn,
    stateMachineArn: stateMachine.arn,
    name,
    status,
    startDate: startDate / 1000,
    stopDate: stopDate && stopDate / 1000,
    redriveCount,
    redriveDate: redriveDate && redriveDate / 1000,
  };
}

export function describeExecution(execution: Execution): object {
  const { input, ending } = execution;
  return {
    ...listExecution(execution),
    input,
    inputDetails: { included: true },
    outputDetails: ending.output === undefined ? undefined : { included: true },
    ...ending,
    ...redriveStatus(execution),
  };
}
