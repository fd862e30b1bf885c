import type { Command } from 'commander';
import { orderReference, type Perform } from './arguments.ts';
import type { LogOptions } from './logs.ts';
import { duration } from './orders/order-filter.ts';

/** Adds `logs`. */
export function addLogs(program: Command, perform: Perform): void {
  program
    .command('logs')
    .description('show what the functions and the state machine wrote about an order, oldest first')
    .argument('<orderRef>', 'your reference for the order', orderReference)
    .option('--since <time>', 'only lines of this last time, such as 30m, 12h or 3d', duration)
    .action((orderRef: string, options: LogOptions) =>
      perform(async (place) => (await import('./logs.ts')).logs(place, orderRef, options)),
    );
}
