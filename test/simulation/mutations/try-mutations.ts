import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, buildOptions } from '../../../infra/bundles/build.ts';
import { rootInputs } from '../../../laptop/assembly.ts';
import { projectRoot } from '../../../laptop/synthesize.ts';
import type { OrderPlan } from '../plan/order-plan.ts';
import { PROCESSES, startBatchProcess } from '../simulate.ts';
import { mutations } from './list.ts';
import type { Mutation } from './mutation.ts';

interface Options {
  /** A synthesized cloud assembly of stage `local`. */
  assemblyDirectory: string;
  directory: string;
}

/** A mutation must cause violations, and its orders none in the unbroken code. Counts those that do not. */
export async function tryMutations(text: string, options: Options): Promise<number> {
  const chosen = mutations.filter(({ name }) => name.includes(text));
  const left = [...unbroken(chosen), ...chosen];
  let wrong = 0;
  const work = async (number: number) => {
    // Always the same folder: the compile cache knows a module by its path.
    const directory = join(options.directory, `broken-${number}`);
    const batches = startBatchProcess();
    for (let next = left.shift(); next; next = left.shift()) {
      const {
        verdict,
        isRight,
        first = 'no violation',
      } = await tryWithOrders(next, batches.run, { ...options, directory });
      if (!isRight) wrong += 1;
      console.log(`  ${verdict}: ${next.name} (${first})`);
    }
    await batches.end();
  };
  await Promise.all(Array.from({ length: PROCESSES }, (_, number) => work(number)));
  console.log(`${chosen.length} mutations, ${wrong} wrong results`);
  return wrong;
}

/** Few at a time, because the sweep goes on until the last order of a batch ends. */
const UNBROKEN = 13;

/** All orders in the unbroken code, and those that need wrong clocks with such clocks. */
function unbroken(mutations: readonly Mutation[]): Mutation[] {
  const batches = (some: readonly Mutation[], clocks: Pick<Mutation, 'needsWrongClocks'> = {}) => {
    const plans = new Map(some.flatMap(({ plans }) => plans).map((plan) => [plan.orderRef, plan]));
    // An outage is for all orders of a batch.
    const isDown = ({ badDay }: OrderPlan) => badDay?.down !== undefined;
    const ordered = [...plans.values()].toSorted((one, other) => Number(isDown(one)) - Number(isDown(other)));
    const parts = Map.groupBy(ordered.entries(), ([at, plan]) => `${isDown(plan)} ${Math.floor(at / UNBROKEN)}`);
    return [...parts.values()].map((part) => {
      return { name: 'nothing is broken', changes: [], plans: part.map(([, plan]) => plan), ...clocks };
    });
  };
  const ofClocks = mutations.filter(({ needsWrongClocks }) => needsWrongClocks);
  return [...batches(mutations), ...batches(ofClocks, { needsWrongClocks: true })];
}

type Run = ReturnType<typeof startBatchProcess>['run'];

async function tryWithOrders(mutation: Mutation, run: Run, options: Options) {
  const { plans, needsWrongClocks = false, changes } = mutation;
  const assemblyDirectory = changes.length === 0 ? options.assemblyDirectory : brokenAssembly(mutation, options);
  const violation = async (clocksAreRight: boolean) => {
    const [first] = (await run({ plans, assemblyDirectory, clocksAreRight })).violations;
    return first && `${first.orderRef}: ${first.what}`;
  };
  const first = await violation(!needsWrongClocks);
  const early = needsWrongClocks ? await violation(true) : undefined;
  if (early !== undefined) return { verdict: 'RED WITH RIGHT CLOCKS', isRight: false, first: early };
  const isGreen = first === undefined;
  if (changes.length === 0) return { verdict: isGreen ? 'green' : 'RED WITHOUT A MUTATION', isRight: isGreen, first };
  return { verdict: isGreen ? 'NOT NOTICED' : 'red', isRight: !isGreen, first };
}

/** It needs no synth: its bundles are all that differs from the unbroken assembly. */
function brokenAssembly({ changes }: Mutation, { assemblyDirectory, directory }: Options): string {
  rmSync(directory, { recursive: true, force: true });
  for (const name of rootInputs(projectRoot)) cpSync(projectRoot + name, join(directory, name), { recursive: true });
  symlinkSync(`${projectRoot}node_modules`, join(directory, 'node_modules'));
  for (const { file, text, instead } of changes) {
    const path = join(directory, file);
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace(text, () => instead),
    );
  }
  const broken = join(directory, 'assembly');
  cpSync(assemblyDirectory, broken, { recursive: true });
  writeBundles(`${directory}/`, broken);
  return broken;
}

interface FunctionResource {
  Type: string;
  Properties: { FunctionName: string; Code: { S3Key: string } };
}

function writeBundles(root: string, assemblyDirectory: string): void {
  const { bundles } = build(buildOptions(root));
  const template = readFileSync(join(assemblyDirectory, 'LoanOrders-local.template.json'), 'utf8');
  for (const { Type, Properties } of Object.values<FunctionResource>(JSON.parse(template).Resources)) {
    if (Type !== 'AWS::Lambda::Function') continue;
    const asset = join(assemblyDirectory, `asset.${Properties.Code.S3Key.replace(/\.zip$/, '')}`);
    const bundle = bundles[Properties.FunctionName.replace('loan-orders-local-', '')] ?? {};
    for (const [file, content] of Object.entries(bundle)) writeFileSync(join(asset, file), content);
  }
}
