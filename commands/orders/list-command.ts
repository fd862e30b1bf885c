import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Perform } from '../arguments.ts';
import type { ListOptions } from './list.ts';
import { addFilterOptions, waitingForOption } from './order-filter.ts';

/** Adds `list`. */
export function addList(program: Command, perform: Perform): void {
  const command = program.command('list').description('list the orders, most recently changed first');
  addFilterOptions(command)
    .addOption(waitingForOption)
    .option(
      '--stuck',
      "only orders that wait for an operator, or are unchanged for longer than the stage's alarm allows",
    )
    .addOption(
      new Option(
        '--rejected',
        'what became no order: packages with problems, and uploads that belong to no order',
      ).conflicts(['status', 'failure', 'waitingFor', 'stuck']),
    )
    .addOption(
      new Option('--sort <by>', 'changed: newest change first; age: oldest change first')
        .choices(['changed', 'age', 'order', 'status'])
        .default('changed'),
    )
    .option('--limit <count>', 'at most so many orders, or lines', positive)
    .action((options: ListOptions) =>
      perform(async (place) => {
        const connection = await (await import('../stage/connection.ts')).connect(place);
        if (options.rejected) return (await import('./list-rejected.ts')).listRejected(connection, options);
        return (await import('./list.ts')).list(connection, place.stage, options);
      }),
    );
}

export function positive(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is not a number from 1 to 999999.');
}
