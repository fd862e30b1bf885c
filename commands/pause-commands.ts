import type { Command } from 'commander';
import { type Perform, reasonOf } from './arguments.ts';
import type { Answer } from './refusal.ts';
import type { Connection } from './stage/connection.ts';

/** The commands that pause and resume a stage. */
export function addPauseCommands(program: Command, perform: Perform): void {
  const work = (command: (connection: Connection, stage: string) => Promise<Answer>) =>
    perform(
      async (place) => command(await (await import('./stage/connection.ts')).connect(place), place.stage),
      'stage untold',
    );
  program
    .command('pause')
    .description('pause the stage: no function calls the order service, and orders wait')
    .requiredOption('--reason <text>', 'why, without personal data: every command shows it', reasonOf)
    .action(({ reason }: { reason: string }) =>
      work(async (connection, stage) => (await import('./pause.ts')).pause(connection, stage, reason)),
    );
  program
    .command('resume')
    .description('resume a paused stage: its orders go on')
    .action(() => work(async (connection, stage) => (await import('./resume.ts')).resume(connection, stage)));
}
