import type { LogLine } from '../logs/service.ts';
import type { Execution } from './execution.ts';
import type { HistoryEvent } from './history.ts';
import { withoutData } from './history-pages.ts';

/** The events of an execution as Step Functions writes them to the log group of its state machine. */
export function* logLinesOf({ arn, name, history, stateMachine }: Execution): Iterable<LogLine> {
  const { logGroup: group } = stateMachine;
  if (group === undefined) return;
  for (const event of history.events) {
    const time = Math.round(event.timestamp * 1000);
    yield { group, stream: name, time, message: messageOf(event, arn, time) };
  }
}

function messageOf(event: HistoryEvent, executionArn: string, time: number): string {
  const { id, previousEventId, timestamp: _timestamp, type, ...rest } = withoutData(event) as HistoryEvent;
  const [details = {}] = Object.values(rest);
  return JSON.stringify({
    id: String(id),
    type,
    details,
    previous_event_id: String(previousEventId),
    event_timestamp: String(time),
    execution_arn: executionArn,
  });
}
