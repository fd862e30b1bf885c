import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build, buildOptions } from '../../../infra/bundles/build.ts';
import { ProjectCopy } from '../../helpers/project-copy.ts';
import { startBatchProcess } from '../simulate.ts';
import type { Mutation } from './mutation.ts';

interface Options {
  /** How many at a time. */
  processes: number;
  /** A synthesized cloud assembly of stage `local`. */
  assemblyDirectory: string;
  /** For broken copies. */
  directory: string;
}

/**
 * Tries each mutation separately, and prints what came of it. A mutation must cause violations; its orders must have none in the unbroken
 * code, where violations would not count as noticing it. Returns the number of results that are not so.
 */
export async function tryMutations(mutations: readonly Mutation[], options: Options): Promise<number> {
  const left = [...unbroken(mutations), ...mutations];
  let wrong = 0;
  const print = ({ name }: Mutation, { verdict, isRight, first = 'no violation' }: Finding) => {
    if (!isRight) wrong += 1;
    console.log(`  ${verdict}: ${name} (${first})`);
  };
  const work = async (number: number) => {
    // Always the same folder: the compile cache knows a module by its path.
    const directory = join(options.directory, `broken-${number}`);
    const batches = startBatchProcess();
    for (let next = left.shift(); next; next = left.shift())
      print(next, await tryWithOrders(next, batches.run, { ...options, directory }));
    await batches.end();
  };
  await Promise.all(Array.from({ length: options.processes }, (_, number) => work(number)));
  return wrong;
}

const NOTHING = { name: 'nothing is broken', changes: [] };

/** Few at a time, because the sweep goes on until the last order of a batch ends. */
const UNBROKEN = 13;

/** All orders in the unbroken code, and those that need wrong clocks with such clocks. */
function unbroken(mutations: readonly Mutation[]): Mutation[] {
  const batches = (some: readonly Mutation[], more: Partial<Mutation> = {}) => {
    const plans = new Map(some.flatMap(({ plans }) => plans).map((plan) => [plan.orderRef, plan]));
    const left = [...plans.values()];
    const parts = Array.from({ length: Math.ceil(left.length / UNBROKEN) }, () => left.splice(0, UNBROKEN));
    return parts.map((plans) => ({ ...NOTHING, ...more, plans }));
  };
  const clocks = { needsWrongClocks: true } as const;
  return [
    ...batches(mutations),
    ...batches(
      mutations.filter(({ needsWrongClocks }) => needsWrongClocks),
      clocks,
    ),
  ];
}

interface Finding {
  verdict: string;
  isRight: boolean;
  first: string | undefined;
}

function findingOf({ length }: Mutation['changes'], first: string | undefined): Finding {
  const isGreen = first === undefined;
  if (length === 0) return { verdict: isGreen ? 'green' : 'RED WITHOUT A MUTATION', isRight: isGreen, first };
  return { verdict: isGreen ? 'NOT NOTICED' : 'red', isRight: !isGreen, first };
}

type Run = ReturnType<typeof startBatchProcess>['run'];

async function tryWithOrders(mutation: Mutation, run: Run, options: Options): Promise<Finding> {
  const { plans, profile = 'default', needsWrongClocks = false, changes } = mutation;
  const assemblyDirectory = await brokenAssembly(mutation, options);
  const violation = async (clocksAreRight: boolean) => {
    const [first] = (await run({ plans, assemblyDirectory, clocksAreRight, profile })).violations;
    return first && `${first.orderRef}: ${first.what}`;
  };
  const first = await violation(!needsWrongClocks);
  const early = needsWrongClocks ? await violation(true) : undefined;
  if (early !== undefined) return { verdict: 'RED WITH RIGHT CLOCKS', isRight: false, first: early };
  return findingOf(changes, first);
}

/**
 * Copies everything that is deployed to `directory`, applies the mutation and makes an assembly of it. Returns the assembly's directory.
 * A change of code needs no synth: its bundles are all that differs from the unbroken assembly.
 */
async function brokenAssembly({ changes }: Mutation, { assemblyDirectory, directory }: Options): Promise<string> {
  if (changes.length === 0) return assemblyDirectory;
  await rm(directory, { recursive: true, force: true });
  const copy = new ProjectCopy(directory);
  for (const { file, text, instead } of changes) copy.change(file, text, instead);
  if (!changes.every(({ file }) => /^(core|functions)\//.test(file))) return copy.synthesize();
  const broken = join(directory, 'assembly');
  cpSync(assemblyDirectory, broken, { recursive: true });
  writeBundles(`${directory}/`, broken);
  return broken;
}

interface FunctionResource {
  Type: string;
  Properties: { FunctionName: string; Code: { S3Key: string } };
}

/** Writes the bundles of the functions below `root` over those of an assembly. */
function writeBundles(root: string, assemblyDirectory: string): void {
  const { bundles } = build(buildOptions(root), 'there');
  const template = readFileSync(join(assemblyDirectory, 'LoanOrders-local.template.json'), 'utf8');
  for (const { Type, Properties } of Object.values<FunctionResource>(JSON.parse(template).Resources)) {
    if (Type !== 'AWS::Lambda::Function') continue;
    const asset = join(assemblyDirectory, `asset.${Properties.Code.S3Key.replace(/\.zip$/, '')}`);
    const bundle = bundles[Properties.FunctionName.replace('loan-orders-local-', '')] ?? {};
    for (const [file, content] of Object.entries(bundle)) writeFileSync(join(asset, file), content);
  }
}
