import { expect, onTestFinished, test, vi } from 'vitest';
import type { OrderItem } from '../../../../core/order/order-item.ts';
import { openLedger } from '../ledger/open-ledger.ts';

const key = { orderRef: 'decided', item: 'order' };
const first = { offerId: 'first', code: 'X' };
const second = { offerId: 'second', code: 'Y' };

async function openDecisions(record: Record<string, unknown>) {
  const { aws, table } = await openLedger();
  const variables = { ...aws.environment, ORDER_TABLE: 'operations' };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  // The table's client belongs to a module, and reads its address from the environment once.
  vi.resetModules();
  await table.putItem({ ...key, ...record });
  const { addDecision } = await import('../../../../core/offers/decision.ts');
  const { findDecision } = await import('../../../../core/order/decision-states.ts');
  const { findOrder } = await import('../../../../core/order/order-record.ts');
  const order = async () => (await findOrder('decided')) as OrderItem;
  return { addDecision, findDecision, order };
}

const BY_RULE = { how: 'rule', at: '2026-01-01T00:00:00.000Z' } as const;
const undecided = { decision: { choices: [], none: false, version: 0 } };

test('of two decisions at once, one is recorded, and the other can be recorded after it', async () => {
  const { addDecision, findDecision, order } = await openDecisions(undecided);
  const seenByBoth = await order();
  const at = '2026-01-01T00:00:00.000Z';
  const decided = { how: 'person', at, file: 'v1', written: { decidedBy: 'Anna' } } as const;
  expect(await addDecision(seenByBoth, { choices: [first], decided })).toMatchObject({ none: false });
  expect(await addDecision(seenByBoth, { choices: [second], decided: BY_RULE })).toBeUndefined();
  expect((await order()).decision).toMatchObject({ choices: [first], version: 1, decided });
  expect(await addDecision(await order(), { choices: [second], decided: BY_RULE })).toMatchObject({ none: false });
  expect((await findDecision(await order()))?.choices).toMatchObject([
    { choice: { ...first, withdrawn: true } },
    { choice: second },
  ]);
});
