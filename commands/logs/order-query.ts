import { setTimeout as pause } from 'node:timers/promises';
import {
  type CloudWatchLogsClient,
  GetQueryResultsCommand,
  type ResultField,
  StartQueryCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import { Refusal } from '../text.ts';

/** The most lines that a query of Logs Insights returns. */
export const MOST_LINES = 10_000;

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
