import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Perform } from './arguments.ts';
import { LEAST_POLLS } from './plan/order-size.ts';
import { REGIONS, type Region } from './plan/quotas.ts';

interface PlanOptions {
  ordersPerDay: number;
  polls: number;
  documents: number;
  toSign: number;
  confirms: number;
  region: Region;
  busiestHour: number;
  seconds: number;
  days: number;
}

/** The command that counts what a number of orders needs. It reaches no stage. */
export function addPlanCommand(program: Command, perform: Perform): void {
  const number = (flags: string, description: string, range: [number, number], isWhole = true) =>
    new Option(flags, description).argParser((text) => numberIn(text, range, isWhole));
  program
    .command('plan')
    .description('print what a number of orders a day uses of AWS quotas, and what they cost; needs no AWS')
    .addOption(number('--orders-per-day <n>', 'orders a day', [1, 10_000_000]).makeOptionMandatory())
    .addOption(number('--polls <n>', 'reads of an order', [LEAST_POLLS, 1_000_000]).default(50))
    .addOption(number('--documents <n>', 'documents of an order', [1, 100]).default(3))
    .addOption(number('--to-sign <n>', 'documents to sign', [1, 100]).default(2))
    .addOption(number('--confirms <n>', 'offers that are confirmed', [0, 100]).default(2))
    .addOption(new Option('--region <region>', 'whose quotas and prices').choices(REGIONS).default('eu-central-1'))
    .addOption(number('--busiest-hour <percent>', "share of a day's orders in its busiest hour", [5, 100]).default(20))
    .addOption(number('--seconds <n>', 'how long a function runs on average', [0.1, 900], false).default(1))
    .addOption(number('--days <n>', 'how long an order is open', [1, 365], false).default(10))
    .action(({ polls, documents, toSign, confirms, ...wish }: PlanOptions) =>
      perform(
        async (place) =>
          (await import('./plan/plan.ts')).plan(place, { ...wish, size: { polls, documents, toSign, confirms } }),
        'here',
      ),
    );
}

function numberIn(text: string, [least, most]: [number, number], isWhole: boolean): number {
  const value = Number(text);
  const fits = text.trim() !== '' && value >= least && value <= most && (!isWhole || Number.isInteger(value));
  if (fits) return value;
  throw new InvalidArgumentError(`Give a ${isWhole ? 'whole ' : ''}number from ${least} to ${most}.`);
}
