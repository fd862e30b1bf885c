import type { Command } from 'commander';
import type { Perform } from './arguments.ts';
import type { Answer } from './refusal.ts';
import type { DeadLetters } from './stage/dead-letters.ts';

type DeadLetterCommands = typeof import('./dead-letters.ts');

/** The commands for events that functions could not handle. */
export function addDeadLetterCommands(program: Command, perform: Perform): void {
  const work = (command: (commands: DeadLetterCommands, queues: DeadLetters) => Promise<Answer>) =>
    perform(async (place) => {
      const { openDeadLetters } = await import('./stage/dead-letters.ts');
      return command(await import('./dead-letters.ts'), await openDeadLetters(place));
    });
  const group = program
    .command('dead-letters')
    .description('inspect and replay events that functions could not handle');
  group
    .command('list')
    .description('list the events, oldest first')
    .action(() => work(({ listDeadLetters }, queues) => listDeadLetters(queues)));
  group
    .command('show')
    .description('show one event')
    .argument('<id>', 'its ID, as list prints it')
    .action((id: string) => work(({ showDeadLetter }, queues) => showDeadLetter(queues, id)));
  group
    .command('replay')
    .description('send one event, or all of them, to their functions again')
    .argument('[id]', 'its ID, as list prints it')
    .option('--all', 'every event')
    .action((id: string | undefined, { all }: { all?: true }, command: Command) => {
      if ((id === undefined) === (all === undefined)) command.error('error: give either an ID or --all');
      return work(({ replayDeadLetters }, queues) => replayDeadLetters(queues, id));
    });
}
