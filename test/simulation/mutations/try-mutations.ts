import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInProcess } from '../simulate.ts';
import { brokenAssembly } from './broken-assembly.ts';
import type { Mutation } from './mutation.ts';

/** All violations that the simulation found with a mutation. */
export interface Finding {
  name: string;
  violations: readonly string[];
  /** The violations with right clocks, of a mutation that needs wrong ones. There must be none. */
  withRightClocks?: readonly string[];
}

/** Tries each mutation separately, `processes` at a time. Returns the findings in the order of the list. */
export async function tryMutations(
  mutations: readonly Mutation[],
  processes: number,
  onFinding: (finding: Finding) => void,
): Promise<Finding[]> {
  const left = [...mutations.entries()];
  const findings: Finding[] = [];
  const work = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const [position, mutation] = next;
      const finding = await tryMutation(mutation);
      findings[position] = finding;
      onFinding(finding);
    }
  };
  await Promise.all(Array.from({ length: processes }, work));
  return findings;
}

/** A mutation that breaks nothing, with the same orders. Violations without a mutation do not count as noticing one. */
export function nothingBroken(mutations: readonly Mutation[]): Mutation {
  const plans = new Map(mutations.flatMap((mutation) => mutation.plans).map((plan) => [plan.orderRef, plan]));
  return { name: '(nothing is broken)', changes: [], plans: [...plans.values()] };
}

async function tryMutation(mutation: Mutation): Promise<Finding> {
  const directory = await mkdtemp(join(tmpdir(), 'loan-orders-mutation-'));
  try {
    const assemblyDirectory = await brokenAssembly(directory, mutation);
    const { name, needsWrongClocks } = mutation;
    const violations = await violationsOf(mutation, assemblyDirectory);
    if (!needsWrongClocks) return { name, violations };
    return { name, violations, withRightClocks: await violationsOf(mutation, assemblyDirectory, true) };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function violationsOf(
  { plans, profile }: Mutation,
  assemblyDirectory: string,
  clocksAreRight = false,
): Promise<string[]> {
  const options = { plans, assemblyDirectory, clocksAreRight, ...(profile && { profile }) };
  const { violations } = await runInProcess(options);
  return violations.map(({ orderRef, what }) => `${orderRef}: ${what}`);
}
