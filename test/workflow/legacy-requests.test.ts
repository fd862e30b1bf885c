import { expect, test } from 'vitest';
import type { RequestItem } from '../../functions/shared/legacy/received-requests.ts';
import type { RunItem } from '../../functions/shared/legacy/run.ts';
import { openLegacyWorld } from '../helpers/legacy-world.ts';

const world = await openLegacyWorld();
const { legacy } = world.simulator;

const keyOf = (requestId: string) => `legacy/requests/${requestId}.json`;
const recorded = async () => (await world.ofKind<RequestItem>('request')).map(({ requestId }) => requestId).sort();
const listed = () =>
  legacy
    .requests()
    .map(({ requestId }) => requestId)
    .sort();

test('250 requests over several pages, while new ones arrive, are all staged and recorded once', async () => {
  world.simulator.hooks.after = async (call) => {
    if (call.route === '/requests' && legacy.requests().length < 260) legacy.addRequests(5);
  };
  legacy.addRequests(250);
  const before = world.clock.now();
  const { status, result } = await world.run({ work: 'fetch-requests' });
  expect({ status, kept: result.kept }).toEqual({ status: 'SUCCEEDED', kept: listed().length });
  expect(listed().length).toBeGreaterThan(250);
  expect(await recorded()).toEqual(listed());
  expect(await world.stagedKeys('legacy/requests/')).toHaveLength(listed().length);
  const [first] = legacy.requests();
  expect(await world.stagedJson(keyOf(first?.requestId ?? ''))).toEqual(first);
  const run = await world.item<RunItem>('exchange', 'run#fetch-requests');
  expect(Date.parse(run?.watermark ?? '')).toBeGreaterThanOrEqual(before);
  expect(run?.execution).toBeUndefined();
});
