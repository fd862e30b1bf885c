import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import type { UploadItem } from '../../functions/shared/legacy/upload.ts';
import type { Perform } from '../arguments.ts';
import type { Answer } from '../refusal.ts';
import type { TypedStatus } from './actions.ts';
import type { LegacyConnection } from './connection.ts';
import { batches, requests, runs, showRequest, UPLOAD_STATES, uploads } from './lists.ts';

/** `loan-orders legacy …`: the obsolete bank exchange, where it is deployed. */
export function addLegacyCommands(program: Command, perform: Perform): void {
  const legacy = program.command('legacy').description('the obsolete bank exchange, where it is deployed');
  const performLegacy = (work: (connection: LegacyConnection) => Promise<Answer>) =>
    perform(async (place) => work(await (await import('./connection.ts')).connectLegacy(place)));
  addLists(legacy, performLegacy);
  addActions(legacy, performLegacy);
}

/** What acts needs the SDK, which is loaded when it runs. */
const actions = () => import('./actions.ts');

type PerformLegacy = (work: (connection: LegacyConnection) => Promise<Answer>) => Promise<void>;

function addLists(legacy: Command, perform: PerformLegacy): void {
  legacy
    .command('runs')
    .description('what is fetched, and up to when')
    .action(() => perform(runs));
  legacy
    .command('requests')
    .description('requests that were fetched, the newest first')
    .action(() => perform(requests));
  legacy
    .command('batches')
    .description('batches of tax numbers, the newest first')
    .action(() => perform(batches));
  legacy
    .command('uploads')
    .description('statuses and offers that came into intake, the newest change first')
    .addOption(new Option('--state <state>', 'only those in this state').choices(UPLOAD_STATES))
    .action((filter: { state?: UploadItem['state'] }) => perform((connection) => uploads(connection, filter)));
  legacy
    .command('show')
    .description('one request, and the statuses that were uploaded for it')
    .argument('<requestId>', "the service's identifier of the request")
    .action((requestId: string) => perform((connection) => showRequest(connection, requestId)));
}

function addActions(legacy: Command, perform: PerformLegacy): void {
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
    .option('--loan-amount <amount>', 'of an issued loan', number)
    .option('--loan-term <term>', 'of an issued loan', number)
    .option('--loan-term-in-days <days>', 'of an issued loan', number)
    .action((requestId: string, typed: TypedStatus) =>
      perform(async (connection) => (await actions()).sendStatus(connection, requestId, typed)),
    );
  legacy
    .command('retry')
    .description('start the next execution of an upload that failed')
    .argument('<upload>', 'its identifier, as "legacy uploads" shows it', uploadIdentifier)
    .action((upload: string) => perform(async (connection) => (await actions()).retryUpload(connection, upload)));
}

function number(text: string): string {
  if (/^-?(0|[1-9]\d*)(\.\d+)?$/.test(text)) return text;
  throw new InvalidArgumentError('It is no number.');
}

function uploadIdentifier(text: string): string {
  if (/^[0-9a-f]{32}$/.test(text)) return text;
  throw new InvalidArgumentError('It is no upload: 32 of 0-9 a-f.');
}
