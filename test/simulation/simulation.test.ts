import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { type BatchResult, runBatch } from './batch.ts';
import { forgetfulLedger, uncertainCreations } from './mutations/ledger-mutations.ts';
import { brokenAssembly } from './mutations/try-mutations.ts';
import { awsKinds, ordersWithAwsFaults, ordersWithServiceFaults, serviceKinds } from './plan/every-fault.ts';
import type { OrderPlan } from './plan/order-plan.ts';

const LIMIT = 240_000;
/** For days the orders wait for people. */
const sweepInterval = 4 * 3_600_000;

async function sound(plans: readonly OrderPlan[]): Promise<BatchResult> {
  const result = await runBatch({ plans, sweepInterval, assemblyDirectory: inject('assemblyDirectory') });
  expect(result.violations).toEqual([]);
  expect(Object.values(result.outcomes).reduce((sum, count) => sum + count)).toBe(plans.length);
  return result;
}

// They wait for timeouts of calls in real time, so they run beside each other.
test.concurrent(
  'orders get through every fault of every call of the order service',
  async () => {
    const { injected } = await sound(ordersWithServiceFaults);
    expect(serviceKinds.filter((kind) => !injected[kind])).toEqual([]);
  },
  LIMIT,
);

test.concurrent(
  'orders get through every fault of AWS, and need an operator only for a creation of unknown outcome',
  async () => {
    const { injected, operated } = await sound(ordersWithAwsFaults);
    expect(awsKinds.filter((kind) => !injected[kind])).toEqual([]);
    const retries = Object.keys(operated).filter((what) => what.startsWith('retried'));
    // A fault of Secrets Manager ends every token: a call that meets that twice in a row goes to an operator.
    expect(retries.filter((what) => !/OutcomeUnknown|SigningKeyUnusable|Unauthorized/.test(what))).toEqual([]);
  },
  LIMIT,
);

test.concurrent(
  'the simulation notices a ledger that forgets, because orders are created twice',
  async ({ onTestFinished }) => {
    const directory = await mkdtemp(join(tmpdir(), 'loan-orders-broken-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const assemblyDirectory = await brokenAssembly(directory, forgetfulLedger);
    const { violations } = await runBatch({ plans: uncertainCreations, assemblyDirectory });
    const twice = violations.filter(({ what }) => /^it was created \d+ times$/.test(what));
    expect(twice.map(({ orderRef }) => orderRef).sort()).toEqual(
      uncertainCreations.map(({ orderRef }) => orderRef).sort(),
    );
  },
  LIMIT,
);
