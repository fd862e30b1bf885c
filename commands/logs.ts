import { setTimeout as pause } from 'node:timers/promises';
import {
  CloudWatchLogsClient,
  GetQueryResultsCommand,
  type ResultField,
  StartQueryCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import { connect } from './stage/connection.ts';
import { clientSettings, type PlaceOptions } from './stage/place.ts';
import { noOrder } from './stage/record.ts';
import { namesInStack } from './stage/stack-outputs.ts';
import { type Answer, columns, plain, Refusal, time } from './text.ts';

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

/** A line of a function or of the state machine. */
interface LogLine {
  at: string;
  /** A function's name without that of the stage, or `state machine`. */
  source: string;
  level: string;
  message: string;
  /** Other members of the line. */
  [fact: string]: unknown;
}

/** Step Functions writes this member into each line. */
interface ExecutionLine {
  type: string;
  details?: { name?: string; error?: string };
  execution_arn: string;
}

const STATE_MACHINE = 'state machine';
/** Members that every line has, or that only programs need. `--json` shows all. */
const NOT_SHOWN = ['orderRef', 'service', 'timestamp', 'sampling_rate', 'awsRequestId', 'messageId', 'xray_trace_id'];

/** Reads a row of the query of an order. */
function logLine(row: ResultField[], stage: string): LogLine {
  const valueIn = (name: string) => row.find(({ field }) => field === name)?.value ?? '';
  const at = `${valueIn('@timestamp').replace(' ', 'T')}Z`;
  const group = valueIn('@log').split('/').at(-1) ?? '';
  const written = objectIn(valueIn('@message'));
  if (typeof written.execution_arn === 'string') return executionLine(at, written as unknown as ExecutionLine);
  const { level = '', message = valueIn('@message'), ...facts } = written;
  const source = group.split(`loan-orders-${stage}-`).at(-1) ?? group;
  return { ...facts, at, source, level: String(level), message: String(message) };
}

/** The line as people read it. Its facts follow its message. */
function shownLine({ at, source, level, message, ...facts }: LogLine): string[] {
  const shown = Object.entries(facts).filter(([name, value]) => !NOT_SHOWN.includes(name) && value !== undefined);
  return [
    time(at),
    level,
    source,
    plain([message, ...shown.map(([name, value]) => `${name} ${factOf(value)}`)].join(', ')),
  ];
}

function executionLine(at: string, { type, details = {}, execution_arn: arn }: ExecutionLine): LogLine {
  const { name, error } = details;
  const level = /(Failed|TimedOut|Aborted)$/.test(type) ? 'ERROR' : 'INFO';
  const message = name === undefined ? type : `${type} "${name}"`;
  return { at, source: STATE_MACHINE, level, message, execution: arn.split(':').at(-1), ...(error && { error }) };
}

/** The stack of an error is for `--json`. */
function factOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const { name } = value as { name?: unknown };
  return typeof name === 'string' ? name : JSON.stringify(value);
}

function objectIn(message: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(message);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    // Lines that our code did not write are shown unchanged.
    return {};
  }
}

/** The most lines that a query of Logs Insights returns. */
const MOST_LINES = 10_000;

/** Milliseconds between two looks whether the query is done. */
const LOOK_EVERY = 500;

/** Other lines of Step Functions add nothing: each state is left before the next one is entered. */
const SHOWN_TYPES = '^Execution|^TaskStateEntered$|Failed$|TimedOut$';

/**
 * The lines of an order, oldest first. Functions write its reference as `orderRef`. Step Functions names the execution, which is called
 * `<orderRef>-<generation>`.
 */
export function orderQuery(orderRef: string): string {
  const execution = `:${orderRef.replaceAll('.', '\\.')}-[0-9]+$`;
  return [
    'fields @timestamp, @log, @message',
    `filter orderRef = "${orderRef}" or (execution_arn like /${execution}/ and type like /${SHOWN_TYPES}/)`,
    'sort @timestamp asc',
    `limit ${MOST_LINES}`,
  ].join(' | ');
}

/**
 * Runs a query of Logs Insights and waits for its end.
 * @param from milliseconds since the epoch, like `to`
 * @throws Refusal if CloudWatch Logs gave the query up.
 */
export async function runQuery(
  client: CloudWatchLogsClient,
  logGroupNames: string[],
  { queryString, from, to }: { queryString: string; from: number; to: number },
): Promise<ResultField[][]> {
  const times = { startTime: Math.floor(from / 1000), endTime: Math.ceil(to / 1000) };
  const { queryId } = await client.send(new StartQueryCommand({ logGroupNames, queryString, ...times }));
  for (;;) {
    const { status, results = [] } = await client.send(new GetQueryResultsCommand({ queryId }));
    if (status === 'Complete') return results;
    if (status !== 'Scheduled' && status !== 'Running') {
      throw new Refusal(
        `CloudWatch Logs did not finish the query (${status ?? 'no status'}), so nothing is shown. Repeat the command, or ask for less time with --since.`,
      );
    }
    await pause(LOOK_EVERY);
  }
}
