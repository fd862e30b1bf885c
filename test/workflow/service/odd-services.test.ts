import { beforeEach, expect, test } from 'vitest';
import { creating, inject, reading } from '../../helpers/faults.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';

const world = await openWorld({ settings: { documentsToSign: 2 } });

const usual = { ...world.simulator.settings };

beforeEach(() => {
  Object.assign(world.simulator.settings, usual);
});

test('a status outside the specification fails the order with a clear cause, and the read is in staging', async () => {
  inject(world.simulator, 'before', reading, async (_call, _request, reply) => {
    await reply.code(200).send({ status: 'ARCHIVED', pollAfterSeconds: 2 });
  });
  await submit(world, 'unknown-status');
  const order = await world.untilEnd('unknown-status');
  expect(order.failure).toMatchObject({ error: 'UnexpectedResponse', cause: expect.stringContaining('snapshot.json') });
  expect(await world.stagedJson('unknown-status', 'snapshot.json')).toMatchObject({ status: 'ARCHIVED' });
});

test('the beginning of a long refusal is kept in staging', async () => {
  inject(world.simulator, 'before', creating, async (_call, _request, reply) => {
    await reply.code(422).send({ problems: 'x'.repeat(10_000) });
  });
  await submit(world, 'long-refusal');
  await world.untilEnd('long-refusal');
  const [key = ''] = (await world.stagedKeys('long-refusal')).filter((name) => name.startsWith('errors/'));
  expect((await world.stagedJson<{ body: string }>('long-refusal', key)).body).toMatch(/^\{"problems":"x{4000}/);
});
