import { Argument, Option } from 'commander';
import type { AddCommand } from '../../commands/shared/arguments.ts';
import type { CommandResult } from '../../commands/shared/text.ts';
import type { UploadItem } from '../core/upload.ts';
import { fetchNow, runs, UPLOAD_STATES, uploads } from './answers.ts';
import type { ExchangeConnection } from './connection.ts';

/** `loan-orders legacy …`: commands for the obsolete bank exchange. */
export const addExchangeCommands: AddCommand = (program, performInStage) => {
  const legacy = program.command('legacy').description('commands for the obsolete bank exchange, where it is deployed');
  // The SDK is large, so it is loaded on use. A pause affects orders, not the bank exchange.
  const perform = (work: (connection: ExchangeConnection) => Promise<CommandResult>) =>
    performInStage(
      async (place) => work(await (await import('./connection.ts')).connectExchange(place)),
      'without pause line',
    );
  legacy
    .command('runs')
    .description('show what is fetched, and up to which time')
    .action(() => perform(runs));
  legacy
    .command('uploads')
    .description('list the statuses and offers in intake, most recently changed first')
    .addOption(new Option('--state <state>', 'only uploads in this state').choices(UPLOAD_STATES))
    .action((filter: { state?: UploadItem['state'] }) => perform((connection) => uploads(connection, filter)));
  legacy
    .command('fetch')
    .description('start a run now')
    .addArgument(new Argument('<what>', 'what to fetch').choices(['requests', 'inns']))
    .action((what: 'requests' | 'inns') => perform((connection) => fetchNow(connection, what)));
  return legacy;
};
