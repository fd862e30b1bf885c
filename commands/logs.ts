import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { logLine, shownLine } from './logs/log-line.ts';
import { MOST_LINES, orderQuery, runQuery } from './logs/order-query.ts';
import { connect } from './stage/connection.ts';
import { clientSettings, type PlaceOptions } from './stage/place.ts';
import { noOrder } from './stage/record.ts';
import { namesInStack } from './stage/stack-outputs.ts';
import { type Answer, columns, Refusal, time } from './text.ts';

export interface LogOptions {
  /** Milliseconds back from now. Default: since the package arrived. */
  since?: number;
}

/** An upload may have been checked before its order was recorded. */
const BEFORE_THE_ORDER = 60 * 60_000;
/** The clock of AWS may be ahead of this machine's. */
const CLOCK_AHEAD = 5 * 60_000;

/** `logs <orderRef>`: what the functions and the state machine wrote about an order, oldest first. */
export async function logs(place: PlaceOptions, orderRef: string, { since }: LogOptions): Promise<Answer> {
  const life = await lifeOf(place, orderRef);
  const from = since === undefined ? Date.parse(life.first) - BEFORE_THE_ORDER : Date.now() - since;
  const to = Math.max(Date.now(), Date.parse(life.last)) + CLOCK_AHEAD;
  const groups = await namesInStack(place, 'AWS::Logs::LogGroup');
  const client = new CloudWatchLogsClient(clientSettings(place));
  const rows = await runQuery(client, groups, { queryString: orderQuery(orderRef), from, to });
  const start = new Date(from).toISOString();
  if (rows.length === 0) throw noLines(orderRef, start);
  const lines = rows.map((row) => logLine(row, place.stage));
  const isComplete = rows.length < MOST_LINES;
  return {
    lines: [
      ...columns(lines.map(shownLine)),
      ...(isComplete
        ? []
        : ['', `Only the first ${MOST_LINES} lines since ${time(start)} are shown: ask for less time with --since.`]),
    ],
    json: { orderRef, since: start, isComplete, lines },
  };
}

/** The first and the last time in the record of the order, or of a rejected package. */
async function lifeOf(place: PlaceOptions, orderRef: string): Promise<{ first: string; last: string }> {
  const { record, rejected } = await connect(place);
  const details = await record.findDetails(orderRef);
  if (details) return { first: details.order.createdAt, last: details.order.changedAt };
  const uploads = await (await rejected()).inFolder(orderRef);
  const [first] = uploads.map(({ since }) => since).sort();
  const last = uploads
    .map(({ lastAt }) => lastAt)
    .sort()
    .at(-1);
  if (first === undefined || last === undefined) throw noOrder(orderRef);
  return { first, last };
}

function noLines(orderRef: string, start: string): Refusal {
  return new Refusal(
    `No function wrote about order ${orderRef} since ${time(start)}. A line can be found some seconds after it was written, and until ` +
      'the logRetentionDays of the stage are over. "loan-orders show" has what the record knows.',
  );
}
