import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { afterEach, expect, test, vi } from 'vitest';
import { orderQuery, runQuery } from '../../../commands/logs.ts';

const client = new CloudWatchLogsClient({ region: 'eu-central-1' });
const query = { queryString: orderQuery('my-order'), from: 1_500, to: 2_500 };
const sent: unknown[] = [];

/** CloudWatch Logs, which says these statuses one after the other. */
function answerWith(...statuses: string[]) {
  vi.spyOn(client, 'send').mockImplementation(async ({ input }: { input: object }) => {
    sent.push(input);
    if ('queryString' in input) return { queryId: 'q' };
    return { status: statuses.shift(), results: [[{ field: '@message', value: 'a line' }]] };
  });
}

afterEach(() => {
  sent.length = 0;
  vi.useRealTimers();
});

test('a query is asked about until it is complete', async () => {
  vi.useFakeTimers();
  answerWith('Running', 'Complete');
  const result = runQuery(client, ['one', 'two'], query);
  await vi.runAllTimersAsync();
  expect(await result).toEqual([[{ field: '@message', value: 'a line' }]]);
  expect(sent).toEqual([
    { logGroupNames: ['one', 'two'], queryString: query.queryString, startTime: 1, endTime: 3 },
    { queryId: 'q' },
    { queryId: 'q' },
  ]);
});

test.each(['Failed', 'Cancelled', 'Timeout', 'Unknown'])(
  'a query that is %s is never taken for one without lines',
  async (status) => {
    answerWith(status);
    await expect(runQuery(client, ['one'], query)).rejects.toThrow(
      `CloudWatch Logs did not finish the query (${status}), so nothing is shown.`,
    );
  },
);

test('the characters of a reference stand for themselves in the query', () => {
  expect(orderQuery('a.b-1')).toContain('filter orderRef = "a.b-1" or (execution_arn like /:a\\.b-1-[0-9]+$/ and');
});
