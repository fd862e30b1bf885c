import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, inject, onTestFinished, test } from 'vitest';
import { synthesize } from '../../local/synthesize.ts';
import { runBatch } from '../../simulation/batch.ts';
import { type OrderPlan, planOrder } from '../../simulation/plan.ts';
import { cover, plannedKinds } from '../helpers/fault-cover.ts';

const project = fileURLToPath(new URL('../../', import.meta.url));
const seed = '1';

/** The first orders of the seed whose plan is such. */
function ordersWith(matches: (plan: OrderPlan) => boolean, count: number): string[] {
  const found: string[] = [];
  for (let number = 1; found.length < count; number += 1) {
    const plan = planOrder(seed, `order-${number}`);
    if (!plan.broken && !plan.abort && !plan.operatorAway && matches(plan)) found.push(plan.orderRef);
  }
  return found;
}

const onlyKilled = ({ serviceFaults, awsFaults, kills }: OrderPlan) =>
  kills.length > 0 && serviceFaults.length + awsFaults.length === 0;

/** The service creates the order, and its answer is lost or says nothing. */
const lostCreations = ordersWith(
  ({ serviceFaults: [first, ...further], awsFaults, kills }) =>
    first?.call === 'create' &&
    first.occurrence === 1 &&
    first.after &&
    /^(reset|50[024])$/.test(first.kind) &&
    further.length + awsFaults.length + kills.length === 0,
  2,
);
/**
 * The function that creates is killed when the ledger has the creation, and the order not yet its `orderId` (its sixth request). Nothing
 * else may be at work for the order then, whose requests would be counted too: its last file comes alone.
 */
const killedCreations = ordersWith(
  (plan) =>
    onlyKilled(plan) &&
    plan.deliveries.length === 0 &&
    (plan.uploads.at(-1)?.delay ?? 0) > 0 &&
    plan.kills.some(({ functionName, request, after }) => functionName === 'create-order' && request === 6 && !after),
  1,
);
const plans = Array.from({ length: 20_000 }, (_order, position) => planOrder(seed, `order-${position + 1}`));
const everyFault = cover(plans).map(({ orderRef }) => orderRef);

test('a batch of orders comes through all of its faults without a violation', async () => {
  const orderRefs = [...new Set([...lostCreations, ...killedCreations, ...everyFault])];
  const assemblyDirectory = inject('assemblyDirectory');
  const { violations, outcomes, injected } = await runBatch({ seed, orderRefs, assemblyDirectory });
  expect(violations).toEqual([]);
  expect(Object.values(outcomes).reduce((sum, count) => sum + count)).toBe(orderRefs.length);
  // Each kind of fault that is ever planned has struck at least once; of kills, those of one function.
  expect([...new Set(plans.flatMap(plannedKinds))].filter((kind) => !injected[kind])).toEqual([]);
}, 60_000);

/** Each line of the ledger that remembers, and what a ledger has in its place that does not. */
const forgotten: [file: string, line: string, instead: string][] = [
  [
    'ledger/perform-operation.ts',
    "if (earlier?.knowledge.state === 'done') return earlier.knowledge.outcome as Outcome;",
    '',
  ],
  [
    'ledger/entry.ts',
    'attribute_not_exists(outcome) AND (attempts = :earlier OR run = :run)',
    'attempts = :earlier OR run = :run',
  ],
  ['ledger/knowledge.ts', "case 'lost':\n      return OPEN;", "case 'lost':\n      return NONE;"],
];

/** A copy of all that is deployed, with such a ledger, synthesized. */
async function brokenAssembly(): Promise<string> {
  const root = `${await mkdtemp(join(tmpdir(), 'loan-orders-broken-'))}/`;
  onTestFinished(() => rm(root, { recursive: true }));
  const parts = ['bin', 'functions', 'infra', 'statemachine', 'cdk.json', 'package.json', 'package-lock.json'];
  for (const part of [...parts, 'tsconfig.json']) await cp(project + part, root + part, { recursive: true });
  await symlink(`${project}node_modules`, `${root}node_modules`);
  for (const [name, line, instead] of forgotten) {
    const file = `${root}functions/shared/${name}`;
    const source = await readFile(file, 'utf8');
    expect(source.split(line)).toHaveLength(2);
    await writeFile(file, source.replace(line, instead));
  }
  await synthesize('local', `${root}assembly`, { root });
  return `${root}assembly`;
}

test('a ledger that forgets is found out: orders are created twice', async () => {
  const orderRefs = [...lostCreations, ...killedCreations];
  const { violations } = await runBatch({ seed, orderRefs, assemblyDirectory: await brokenAssembly() });
  const twice = violations
    .filter(({ what }) => /^it was created \d+ times$/.test(what))
    .map(({ orderRef }) => orderRef);
  expect(twice.sort()).toEqual(orderRefs.sort());
}, 120_000);
