import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import type { Perform } from '../../commands/arguments.ts';
import type { Answer } from '../../commands/text.ts';
import type { UploadItem } from '../core/upload.ts';
import type { TypedStatus } from './actions.ts';
import type { ExchangeConnection } from './connection.ts';
import { batches, requests, runs, showRequest, UPLOAD_STATES, uploads } from './lists.ts';

/** `loan-orders legacy …`: commands for the obsolete bank exchange. */
export function addExchangeCommands(program: Command, perform: Perform): void {
  const legacy = program.command('legacy').description('commands for the obsolete bank exchange, where it is deployed');
  // A pause holds orders, not the bank exchange.
  const performExchange = (work: (connection: ExchangeConnection) => Promise<Answer>) =>
    perform(
      async (place) => work(await (await import('./connection.ts')).connectExchange(place)),
      'without pause line',
    );
  addLists(legacy, performExchange);
  addActions(legacy, performExchange);
}

/** Loaded on use: actions need the SDK, which is large. */
const actions = () => import('./actions.ts');

type PerformExchange = (work: (connection: ExchangeConnection) => Promise<Answer>) => Promise<void>;

function addLists(legacy: Command, perform: PerformExchange): void {
  legacy
    .command('runs')
    .description('show what is fetched, and up to which time')
    .action(() => perform(runs));
  legacy
    .command('requests')
    .description('list the fetched requests, newest first')
    .action(() => perform(requests));
  legacy
    .command('batches')
    .description('list the batches of tax numbers, newest first')
    .action(() => perform(batches));
  legacy
    .command('uploads')
    .description('list the statuses and offers in intake, most recently changed first')
    .addOption(new Option('--state <state>', 'only uploads in this state').choices(UPLOAD_STATES))
    .action((filter: { state?: UploadItem['state'] }) => perform((connection) => uploads(connection, filter)));
  legacy
    .command('show')
    .description('show a request and the statuses that were uploaded for it')
    .argument('<requestId>', "the service's identifier of the request")
    .action((requestId: string) => perform((connection) => showRequest(connection, requestId)));
}

function addActions(legacy: Command, perform: PerformExchange): void {
  legacy
    .command('fetch')
    .description('start a run now')
    .addArgument(new Argument('<what>', 'what to fetch').choices(['requests', 'inns']))
    .action((what: 'requests' | 'inns') => perform(async (connection) => (await actions()).fetchNow(connection, what)));
  legacy
    .command('status')
    .description('upload the current status of a request to intake')
    .argument('<requestId>', "the service's identifier of the request")
    .requiredOption('--new-status <status>', 'issued or inProgress')
    .option('--loan-amount <amount>', 'amount of an issued loan', number)
    .option('--loan-term <term>', 'term of an issued loan', number)
    .option('--loan-term-in-days <days>', 'term of an issued loan in days', number)
    .action((requestId: string, typed: TypedStatus) =>
      perform(async (connection) => (await actions()).sendStatus(connection, requestId, typed)),
    );
  legacy
    .command('retry')
    .description('start the next execution of a failed upload')
    .argument('<upload>', 'identifier of the upload, from "legacy uploads"', uploadIdentifier)
    .action((upload: string) => perform(async (connection) => (await actions()).retryUpload(connection, upload)));
}

function number(text: string): string {
  if (/^-?(0|[1-9]\d*)(\.\d+)?$/.test(text)) return text;
  throw new InvalidArgumentError('It is not a number.');
}

function uploadIdentifier(text: string): string {
  if (/^[0-9a-f]{32}$/.test(text)) return text;
  throw new InvalidArgumentError('It is not an upload: use 32 characters of 0-9 and a-f.');
}
