import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../../laptop/synthesize.ts';
import { ProjectCopy } from '../../helpers/project-copy.ts';
import type { OrderPlan } from '../plan/order-plan.ts';
import { runInProcess } from '../simulate.ts';
import type { Mutation } from './mutation.ts';

/**
 * Tries each mutation separately, `processes` at a time, and prints what came of it. A mutation must cause violations; its orders must
 * have none in the unbroken code, where violations would not count as noticing it. Returns the number of results that are not so.
 */
export async function tryMutations(mutations: readonly Mutation[], processes: number): Promise<number> {
  const ofOrders = mutations.flatMap(({ plans: shown }) => (shown === 'table' ? [] : shown));
  const plans = new Map(ofOrders.map((plan) => [plan.orderRef, plan]));
  const nothing = { name: 'nothing is broken', changes: [] };
  const left = [{ ...nothing, plans: [...plans.values()] }, { ...nothing, plans: 'table' as const }, ...mutations];
  let wrong = 0;
  const work = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const { verdict, isRight, first = 'no violation' } = await tryMutation(next);
      if (!isRight) wrong += 1;
      console.log(`  ${verdict}: ${next.name} (${first})`);
    }
  };
  await Promise.all(Array.from({ length: processes }, work));
  return wrong;
}

interface Finding {
  verdict: string;
  isRight: boolean;
  /** The first violation. */
  first: string | undefined;
}

async function tryMutation(mutation: Mutation): Promise<Finding> {
  const { plans } = mutation;
  return plans === 'table' ? tryWithTable(mutation) : tryWithOrders({ ...mutation, plans });
}

function findingOf({ length }: Mutation['changes'], first: string | undefined): Finding {
  const isGreen = first === undefined;
  if (length === 0) return { verdict: isGreen ? 'green' : 'RED WITHOUT A MUTATION', isRight: isGreen, first };
  return { verdict: isGreen ? 'NOT NOTICED' : 'red', isRight: !isGreen, first };
}

/** Runs the table of `decide` over the broken code. */
async function tryWithTable({ changes }: Mutation): Promise<Finding> {
  const env = { ...process.env, BROKEN_CODE: JSON.stringify(changes), NO_COLOR: '1' };
  const table = ['vitest', 'run', '--config', 'test/simulation/mutations/vitest.config.ts'];
  const run = promisify(execFile)('npx', table, { cwd: projectRoot, env });
  const output = await run.then(
    () => '',
    ({ stderr }: { stderr: string }) => stderr,
  );
  const first = /^ FAIL .*? > (.*)$/m.exec(output)?.[1];
  return findingOf(changes, first);
}

type OfOrders = Mutation & { plans: readonly OrderPlan[] };

async function tryWithOrders(mutation: OfOrders): Promise<Finding> {
  const directory = await mkdtemp(join(tmpdir(), 'loan-orders-mutation-'));
  try {
    const assemblyDirectory = await brokenAssembly(directory, mutation);
    const [first] = await violationsOf(mutation, assemblyDirectory);
    const [early] = mutation.needsWrongClocks ? await violationsOf(mutation, assemblyDirectory, true) : [];
    if (early !== undefined) return { verdict: 'RED WITH RIGHT CLOCKS', isRight: false, first: early };
    return findingOf(mutation.changes, first);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Copies everything that is deployed to `directory`, applies the mutation and synthesizes it. Returns the assembly's directory. */
export async function brokenAssembly(directory: string, { changes }: Pick<Mutation, 'changes'>): Promise<string> {
  const copy = new ProjectCopy(directory);
  for (const { file, text, instead } of changes) copy.change(file, text, instead);
  return copy.synthesize();
}

async function violationsOf(
  { plans, profile = 'default' }: OfOrders,
  assemblyDirectory: string,
  clocksAreRight = false,
): Promise<string[]> {
  const { violations } = await runInProcess({ plans, assemblyDirectory, clocksAreRight, profile });
  return violations.map(({ orderRef, what }) => `${orderRef}: ${what}`);
}
