import { expect, test } from 'vitest';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';

const world = await openWorld({ settings: { documentsToSign: 8 }, environment: { READS_PER_EXECUTION: '12' } });

/** The Map states and reads of an execution, in order. */
async function steps(executionArn: string | undefined): Promise<string[]> {
  const names = (await world.history(executionArn)).map(
    ({ stateEnteredEventDetails }) => stateEnteredEventDetails?.name,
  );
  return names
    .filter((name) => name !== undefined)
    .filter((name) => /^(Read order|Waiting for .*|Confirm offer)$/.test(name));
}

test('work that does not fit into the rest of an execution is done once, by the next execution', async () => {
  await submit(world, 'large', { documents: ['charter.pdf', 'balance.pdf'] });
  expect(await world.untilEnd('large')).toMatchObject({ status: 'CLOSED' });
  const executions = await world.executions('large');
  expect(executions.every(({ status }) => status === 'SUCCEEDED')).toBe(true);
  const all = await Promise.all(executions.map(({ executionArn }) => steps(executionArn)));
  const signing = all.find((names) => names.includes('Waiting for signature'));
  expect(signing).toEqual(['Read order', 'Waiting for signature', 'Read order']);
  expect(all.flat().filter((name) => name !== 'Read order')).toEqual([
    'Waiting for documents',
    'Waiting for signature',
    'Confirm offer',
  ]);
  const signed = (await world.calls('large')).filter(({ route }) => route === '/v1/orders/{orderId}/documents/sign');
  expect(signed).toHaveLength(8);
});
