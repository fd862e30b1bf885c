import { type Command, Option } from 'commander';
import { collect, orderReference, type Perform, reasonOf } from './arguments.ts';
import type { LogOptions } from './logs.ts';
import { addList } from './orders/list-command.ts';
import { addManyCommands } from './orders/many-commands.ts';
import { duration } from './orders/order-filter.ts';
import { addWatch } from './orders/watch-command.ts';
import type { Answer } from './refusal.ts';
import type { Connection } from './stage/connection.ts';

/** Connects to the stage, runs a command there and prints its answer. */
type Work = (command: (connection: Connection) => Promise<Answer>) => Promise<void>;

/** The commands with which operators inspect and repair orders. */
export function addOperatorCommands(program: Command, perform: Perform): void {
  const work: Work = (command) =>
    perform(async (place) => command(await (await import('./stage/connection.ts')).connect(place)));
  addList(program, perform);
  program
    .command('doctor')
    .description('check everything that the stage needs, and say what to do about each problem')
    .action(() => perform(async (place) => (await import('./doctor.ts')).doctor(place)));
  const ofOrder = (name: string, description: string) =>
    program
      .command(name)
      .description(description)
      .argument('<orderRef>', 'your reference for the order', orderReference);
  ofOrder('show', 'show an order: status, executions, failure, choices, operations, timeline').action(
    (orderRef: string) => work(async (connection) => (await import('./show.ts')).show(connection, orderRef)),
  );
  addWatch(program, perform);
  ofOrder('logs', 'show what the functions and the state machine wrote about an order, oldest first')
    .option('--since <time>', 'only lines of this last time, such as 30m, 12h or 3d', duration)
    .action((orderRef: string, options: LogOptions) =>
      perform(async (place) => (await import('./logs.ts')).logs(place, orderRef, options)),
    );
  addManyCommands(program, perform);
  ofOrder('resolve', 'record whether the service created an order whose outcome is unknown (OutcomeUnknown)')
    .addOption(
      new Option('--order-id <orderId>', 'the service has the order under this orderId')
        .argParser((text) => text.trim())
        .conflicts('notCreated'),
    )
    .option('--not-created', 'the service does not have the order')
    .action((orderRef: string, { orderId, notCreated }: { orderId?: string; notCreated?: true }, command: Command) => {
      if (!orderId && !notCreated) command.error('error: give either --order-id <orderId> or --not-created');
      return work(async (connection) => (await import('./resolve.ts')).resolve(connection, orderRef, orderId));
    });
  addDismiss(program, work);
}

function addDismiss(program: Command, work: Work): void {
  program
    .command('dismiss')
    .description('end orders on our side that wait for an operator; the order service is told nothing')
    .argument('<orderRef...>', 'your references for the orders', (text: string, earlier: string[] | undefined) =>
      collect(orderReference(text), earlier),
    )
    .requiredOption('--reason <text>', 'why, without personal data: it stays in the timeline', reasonOf)
    .action((orderRefs: string[], { reason }: { reason: string }) =>
      work(async (connection) => (await import('./dismiss.ts')).dismiss(connection, orderRefs, reason)),
    );
}
