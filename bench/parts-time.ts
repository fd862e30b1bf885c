import type { HistoryEvent } from '@aws-sdk/client-sfn';

/** The time of an order by part: the mean of several orders, in milliseconds. The parts add up to the total. */
export type TimeParts = Record<string, number>;

export const INTAKE = 'intake: from the upload to the start';
export const WAIT = 'waits that the service asked for';
export const PEOPLE = 'waiting for the signer or a decision';
export const ENGINE = 'the engine, between steps';

/**
 * Divides the time from an order's upload to the end of its execution into parts, by its history. Steps that run at once (in a Map)
 * share the time equally. A step's time includes the wait for a free sandbox, its AWS requests and its calls.
 */
export function timeParts(
  histories: ReadonlyMap<string, HistoryEvent[]>,
  uploadedAt: ReadonlyMap<string, number>,
): TimeParts {
  const sum: TimeParts = {};
  for (const [orderRef, events] of histories) {
    const startedAt = time(events[0]);
    const intake = Math.max(0, startedAt - (uploadedAt.get(orderRef) ?? startedAt));
    for (const [part, milliseconds] of [[INTAKE, intake] as const, ...partsOf(events)]) {
      sum[part] = (sum[part] ?? 0) + milliseconds;
    }
  }
  return Object.fromEntries(Object.entries(sum).map(([part, milliseconds]) => [part, milliseconds / histories.size]));
}

/** The part that each interval between two events of an execution belongs to. */
function partsOf(events: readonly HistoryEvent[]): [part: string, milliseconds: number][] {
  const parts: [string, number][] = [];
  const active: string[] = [];
  let [waits, isPeoplesTurn] = [0, false];
  for (const [index, event] of events.entries()) {
    const { type = '', stateEnteredEventDetails: entered, stateExitedEventDetails: exited } = event;
    if (type === 'TaskStateEntered') active.push(entered?.name ?? '');
    if (type === 'TaskStateExited') active.splice(active.lastIndexOf(exited?.name ?? ''), 1);
    if (type === 'WaitStateEntered') waits += 1;
    if (type === 'WaitStateExited') waits -= 1;
    if (type === 'TaskSubmitted') isPeoplesTurn = true;
    else if (type === 'TaskSucceeded') isPeoplesTurn = false;
    const milliseconds = time(events[index + 1] ?? event) - time(event);
    if (isPeoplesTurn) parts.push([PEOPLE, milliseconds]);
    else if (active.length > 0) for (const name of active) parts.push([name, milliseconds / active.length]);
    else parts.push([waits > 0 ? WAIT : ENGINE, milliseconds]);
  }
  return parts;
}

function time(event: HistoryEvent | undefined): number {
  return event?.timestamp?.getTime() ?? 0;
}
