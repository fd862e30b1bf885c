import { type Command, InvalidArgumentError } from 'commander';
import { collect, orderReference, type Perform } from '../arguments.ts';
import type { WatchOptions } from './watch.ts';

/** Seconds. The record changes when the order is read, which is every few seconds at most. */
const USUAL_EVERY = 2;

/** Adds `watch`. */
export function addWatch(program: Command, perform: Perform): void {
  program
    .command('watch')
    .description('follow orders until they are over: their way, what they wait for, and the next read')
    .argument('<orderRef...>', 'your references for the orders', (text: string, earlier: string[] | undefined) =>
      collect(orderReference(text), earlier),
    )
    .option('--every <seconds>', 'time between two looks', seconds, USUAL_EVERY)
    .action((orderRefs: string[], options: WatchOptions) =>
      perform(async (place, print) => {
        const connection = await (await import('../stage/connection.ts')).connect(place);
        return (await import('./watch.ts')).watch(connection, orderRefs, options, print);
      }),
    );
}

function seconds(text: string): number {
  const value = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && value >= 0.1 && value <= 3_600) return value;
  throw new InvalidArgumentError('It is not a number of seconds from 0.1 to 3600.');
}
