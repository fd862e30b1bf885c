import { expect, test } from 'vitest';
import { variables } from '../../../core/settings.ts';
import { pageSettings } from '../../core/settings.ts';
import { openExchangeWorld } from '../helpers/open-world.ts';

const world = await openExchangeWorld({
  book: { requestsMember: 'requests' },
  environment: variables(pageSettings, { take: 20, overlap: 4, perExecution: 2, requestsMember: 'requests' }),
});
const { exchange } = world.simulator;

const isOver = async () => {
  const run = await world.findRun();
  return run?.ended !== undefined && run.execution === undefined;
};

test('a run of several executions misses no request when more leave the list between two pages than these overlap', async () => {
  const all = exchange.addRequests(70).map(({ requestId }) => requestId);
  let calls = 0;
  world.simulator.hooks.after = async (call) => {
    if (call.route !== '/requests') return;
    calls += 1;
    // Remove the first ten of the page that was just read. The rest of the list moves up by ten.
    if (calls !== 2) return;
    for (const { requestId } of exchange.requests().slice(0, 10)) exchange.withdraw(requestId);
    world.clock.advanceTo(world.clock.now() + 60_000);
  };
  await world.begin({ work: 'fetch-requests' });
  await world.aws.runUntil(isOver, { limitMilliseconds: 3_600_000 });
  expect(await world.stagedKeys('legacy/requests/')).toEqual(all.map((id) => `legacy/requests/${id}.json`).sort());
  const skips = world.simulator
    .calls()
    .filter(({ route }) => route === '/requests')
    .map(({ query }) => query?.skip);
  expect(skips).toEqual(['0', '16', '32', '16', '32', '48']);
  // The long run continues in further executions, and its watermark is the start of the first one.
  const executions = await world.executions();
  expect(executions.map(({ name }) => name)).toEqual(['test-1', 'test-1-2', 'test-1-3']);
  expect(executions.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED']);
  const run = await world.findRun();
  expect(run?.watermark).toBe(run?.ended?.startedAt);
  expect(Date.parse(run?.watermark ?? '')).toBeLessThan(Number(executions[1]?.startDate) - 50_000);
  const last = await world.look(executions.at(-1)?.executionArn ?? '');
  expect(JSON.parse(last.output ?? '{}')).toMatchObject({ work: 'fetch-requests', kept: 70 });
});
