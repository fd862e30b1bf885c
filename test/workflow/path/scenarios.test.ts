import { afterEach, expect, test } from 'vitest';
import { checkCalls } from '../../helpers/contract.ts';
import { uploading } from '../../helpers/faults.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';
import { waitsForSignatures } from '../../helpers/signatures.ts';

const world = await openWorld({ settings: { documentsToSign: 2, slowProcessingSeconds: 45 } });

afterEach(() => {
  expect(checkCalls(world.simulator.calls())).toEqual([]);
  expect(world.simulator.calls().filter(({ earlyBySeconds }) => earlyBySeconds !== undefined)).toEqual([]);
});

const lastExecution = async (orderRef: string) => (await world.executions(orderRef)).at(-1);

test('an order whose validation fails at once ends for good, with the issues in staging', async () => {
  await submit(world, 'at-once', { scenario: 'validation-fails-at-once' });
  const order = await world.untilEnd('at-once');
  expect(order).toMatchObject({
    status: 'VALIDATION_FAILED',
    waitingFor: 'nobody',
    failure: { error: 'ValidationFailed' },
  });
  expect((await world.stagedJson<unknown[]>('at-once', 'issues.json')).length).toBeGreaterThan(0);
  expect(await lastExecution('at-once')).toMatchObject({ status: 'FAILED' });
  expect(await world.calls('at-once', uploading)).toEqual([]);
});

test('an order that is signed with GOST R 34.10-2012 and decided by a rule is CLOSED', async () => {
  await submit(world, 'gost-rule', { signer: 'gost' });
  expect(await world.untilEnd('gost-rule')).toMatchObject({ status: 'CLOSED' });
  await expectValidSignatures('gost-rule');
});

test('an order with the signer person is left to a person', async () => {
  await submit(world, 'by-person', { signer: 'person' });
  await world.until('by-person', waitsForSignatures);
  await world.sign();
  await world.pass(60_000);
  expect(await world.record('by-person')).toMatchObject({ waitingFor: 'signatures' });
});

async function expectValidSignatures(orderRef: string): Promise<void> {
  const { orderId = '' } = (await world.record(orderRef)) ?? {};
  expect(world.simulator.order(orderId)?.signatures.map(({ kind }) => kind)).toEqual(['cms-valid', 'cms-valid']);
}

test('refused order data fails the order with Rejected, and the answer of the service is in staging only', async () => {
  await submit(world, 'refused', { scenario: `no such scenario${'x'.repeat(10_000)}` });
  const order = await world.untilEnd('refused');
  expect(order).toMatchObject({ status: 'RECEIVED', waitingFor: 'operator', failure: { error: 'Rejected' } });
  expect(order.failure?.cause).toMatch(/^Create order: the order service answered 400\./);
  expect(order.failure?.cause).not.toContain('trace');
  const [error] = (await world.stagedKeys('refused')).filter((key) => key.startsWith('errors/'));
  expect(await world.staged('refused', error ?? '')).toMatch(/no such scenariox{3900}/);
  const events = await world.histories('refused');
  expect(events.at(-1)).toMatchObject({
    type: 'ExecutionFailed',
    executionFailedEventDetails: { error: 'Rejected', cause: expect.stringContaining('answered 400') },
  });
  expect(JSON.stringify(events)).not.toContain('no such scenario');
});
