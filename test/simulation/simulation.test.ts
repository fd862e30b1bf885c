import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { cover, plannedKinds } from '../helpers/fault-cover.ts';
import { runBatch } from './batch.ts';
import { brokenAssembly } from './mutations/broken-assembly.ts';
import { forgetfulLedger, uncertainCreations } from './mutations/ledger-mutations.ts';
import { planOrder } from './plan/plan.ts';

const HOUR = 3_600_000;
const seed = '1';

const plans = Array.from({ length: 10_000 }, (_order, position) => planOrder(seed, `order-${position + 1}`));

// Both wait for timeouts of calls in real time, so they run beside each other.
test.concurrent('a batch of orders gets through all its faults without a violation', async () => {
  const chosen = new Map([...uncertainCreations, ...cover(plans)].map((plan) => [plan.orderRef, plan]));
  const assemblyDirectory = inject('assemblyDirectory');
  const { violations, outcomes, injected } = await runBatch({
    plans: [...chosen.values()],
    assemblyDirectory,
    // For days the orders wait for people.
    sweepInterval: 4 * HOUR,
  });
  expect(violations).toEqual([]);
  expect(Object.values(outcomes).reduce((sum, count) => sum + count)).toBe(chosen.size);
  // Every planned kind of fault has struck at least once.
  expect([...new Set(plans.flatMap(plannedKinds))].filter((kind) => !injected[kind])).toEqual([]);
}, 180_000);

test.concurrent('the simulation notices a ledger that forgets, because orders are created twice', async ({
  onTestFinished,
}) => {
  const directory = await mkdtemp(join(tmpdir(), 'loan-orders-broken-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const assemblyDirectory = await brokenAssembly(directory, forgetfulLedger);
  const { violations } = await runBatch({ plans: uncertainCreations, assemblyDirectory });
  const twice = violations
    .filter(({ what }) => /^it was created \d+ times$/.test(what))
    .map(({ orderRef }) => orderRef);
  expect(twice.sort()).toEqual(uncertainCreations.map(({ orderRef }) => orderRef).sort());
}, 180_000);
