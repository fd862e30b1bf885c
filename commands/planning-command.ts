import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Perform } from './arguments.ts';
import type { Wish } from './plan/forecast.ts';
import { LEAST_POLLS } from './plan/order-counts.ts';
import { REGIONS } from './plan/prices.ts';

/** The command that counts what a number of orders needs. It reaches no stage. */
export function addPlanCommand(program: Command, perform: Perform): void {
  const number = (flags: string, description: string, least: number, most: number, isWhole = true) =>
    new Option(flags, description).argParser((text) => {
      const value = Number(text);
      if (text.trim() !== '' && value >= least && value <= most && (!isWhole || Number.isInteger(value))) return value;
      throw new InvalidArgumentError(`Give a ${isWhole ? 'whole ' : ''}number from ${least} to ${most}.`);
    });
  program
    .command('plan')
    .description('print what a number of orders a day uses of AWS quotas, and what they cost; needs no AWS')
    .addOption(number('--orders-per-day <n>', 'orders a day', 1, 10_000_000).makeOptionMandatory())
    .addOption(number('--polls <n>', 'reads of an order', LEAST_POLLS, 1_000_000).default(50))
    .addOption(number('--documents <n>', 'documents of an order', 1, 100).default(3))
    .addOption(number('--to-sign <n>', 'documents to sign', 1, 100).default(2))
    .addOption(number('--confirms <n>', 'offers that are confirmed', 0, 100).default(2))
    .addOption(new Option('--region <region>', 'whose quotas and prices').choices(REGIONS).default(REGIONS[0]))
    .addOption(number('--busiest-hour <percent>', "share of a day's orders in its busiest hour", 5, 100).default(20))
    .addOption(number('--seconds <n>', 'how long a function runs on average', 0.1, 900, false).default(1))
    .addOption(number('--days <n>', 'how long an order is open', 1, 365, false).default(10))
    .action((wish: Wish) => perform(async (place) => (await import('./plan/plan.ts')).plan(place, wish), 'here'));
}
