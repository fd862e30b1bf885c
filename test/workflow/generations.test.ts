import { expect, test } from 'vitest';
import { openWorld } from '../helpers/open-world.ts';
import { submit } from '../helpers/packages.ts';

const world = await openWorld({ environment: { READS_PER_EXECUTION: '3' } });

test('before the history limit the order goes on in a new execution, and nothing is done twice', async () => {
  await submit(world, 'long', { scenario: 'slow-processing' });
  const order = await world.untilEnd('long');
  expect(order.status).toBe('CLOSED');
  const executions = await world.executions('long');
  expect(executions.length).toBeGreaterThan(3);
  expect(executions.map(({ name }) => name)).toEqual(executions.map((_execution, index) => `long-${index + 1}`));
  expect(executions.every(({ status }) => status === 'SUCCEEDED')).toBe(true);
  expect(order.generation).toBe(executions.length);
  const calls = await world.calls('long');
  expect(calls.filter(({ method, route }) => method === 'POST' && route === '/v1/orders')).toHaveLength(1);
  expect(calls.filter(({ route }) => route === '/v1/orders/{orderId}/accept')).toHaveLength(2);
  expect(calls.filter(({ earlyBySeconds }) => earlyBySeconds !== undefined)).toEqual([]);
});
