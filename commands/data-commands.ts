import type { Command } from 'commander';
import { orderReference, type Perform } from './arguments.ts';
import type { Answer } from './refusal.ts';
import type { DataConnection } from './stage/order-data.ts';

/** The commands that keep and remove the data of orders. */
export function addDataCommands(program: Command, perform: Perform): void {
  const work = (command: (connection: DataConnection) => Promise<Answer>) =>
    perform(async (place) => command(await (await import('./stage/order-data.ts')).connectToData(place)));
  const ofOrder = (name: string, description: string) =>
    program
      .command(name)
      .description(description)
      .argument('<orderRef>', 'your reference for the order', orderReference);
  ofOrder('hold', 'keep everything of an order, however old it is')
    .option('--release', 'end the hold')
    .action((orderRef: string, { release }: { release?: true }) =>
      work(async (connection) => {
        const command = await import('./hold.ts');
        return release ? command.release(connection, orderRef) : command.hold(connection, orderRef);
      }),
    );
  ofOrder('erase', 'remove the files of an order that is over, and what may be personal in its record, for good')
    .requiredOption('--confirm <orderRef>', 'the orderRef once more')
    .action(async (orderRef: string, { confirm }: { confirm: string }) => {
      const command = await import('./erase.ts');
      command.refuseUnconfirmed(orderRef, confirm);
      return work((connection) => command.erase(connection, orderRef));
    });
}
