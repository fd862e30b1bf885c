import { type Command, Option } from 'commander';
import type { EvidenceOptions } from './evidence.ts';
import type { ListOptions } from './list.ts';
import { addManyCommands } from './orders/many-commands.ts';
import type { RestoredOptions } from './restored.ts';
import {
  connected,
  instant,
  ofOrder,
  ofOrders,
  type Perform,
  positive,
  reasonOf,
  seconds,
} from './shared/arguments.ts';
import { addFilterOptions, duration, waitingForOption } from './shared/order-filter.ts';
import { Refusal } from './shared/text.ts';

/** The commands with which everybody looks at orders and at the stage. */
export function addLookCommands(program: Command, perform: Perform): void {
  addList(program, perform);
  program
    .command('doctor')
    .description('check everything that the stage needs, and say what to do about each problem')
    .action(() => perform(async (place) => (await import('./doctor.ts')).doctor(place)));
  ofOrder(program, 'show', 'show an order: status, executions, failure, choices, operations, timeline')
    .option('--problems', 'only what is wrong, in full: the failure, what the service said, and rejected files')
    .action((orderRef: string, { problems }: { problems?: true }) =>
      connected(perform, async (connection) =>
        problems
          ? (await import('./show/problems.ts')).showProblems(connection, orderRef)
          : (await import('./show.ts')).show(connection, orderRef),
      ),
    );
  ofOrders(program, 'watch', 'follow orders until they are over: their way, what they wait for, and the next read')
    // The record changes when the order is read, which is every few seconds at most.
    .option('--every <seconds>', 'time between two looks', seconds, 2)
    .action((orderRefs: string[], { every }: { every: number }) =>
      perform(async (place, print) => {
        const connection = await (await import('./shared/connection.ts')).connect(place);
        return (await import('./watch.ts')).watch(connection, orderRefs, every, print);
      }),
    );
}

/** The commands that repair orders, and hold the stage. */
export function addOperatorCommands(program: Command, perform: Perform): void {
  addManyCommands(program, perform);
  addResolve(program, perform);
  ofOrders(program, 'dismiss', 'end orders on our side that wait for an operator; the order service is told nothing')
    .requiredOption('--reason <text>', 'why, without personal data: it stays in the timeline', reasonOf)
    .action((orderRefs: string[], { reason }: { reason: string }) =>
      connected(perform, async (connection) => (await import('./dismiss.ts')).dismiss(connection, orderRefs, reason)),
    );
  addPause(program, perform);
  addRestored(program, perform);
}

interface ResolveOptions {
  orderId?: string;
  none?: true;
  file?: string;
  offer?: string;
  confirmed?: true;
  notConfirmed?: true;
  preview?: true;
  yes?: true;
}

function addResolve(program: Command, perform: Perform): void {
  ofOrders(program, 'resolve', 'record whether the service created orders whose creation is unknown', '[orderRef...]')
    .addOption(
      new Option('--order-id <orderId>', 'the service has the order under this orderId')
        .argParser((text) => text.trim())
        .conflicts(['none', 'file']),
    )
    .option('--none', 'the service has none of the orders: the next retry creates them')
    .option('--file <file>', 'orderRef,orderId in each line; with --none, orderRef')
    .addOption(
      new Option('--offer <offerId>', 'say what the bank says of a confirm of unknown outcome').conflicts([
        'none',
        'file',
      ]),
    )
    .addOption(new Option('--confirmed', 'with --offer: the bank has confirmed the offer').conflicts('notConfirmed'))
    .option('--not-confirmed', 'with --offer: the bank has not confirmed it; the order goes on')
    .option('--preview', 'only show what is compared')
    .option('--yes', 'do not ask')
    .action((orderRefs: string[] = [], options: ResolveOptions, command: Command) => {
      const { orderId, none = false, file, offer, confirmed = false, notConfirmed = false, ...others } = options;
      const [first] = orderRefs;
      if (offer !== undefined) {
        if (first === undefined || orderRefs.length > 1 || orderId || confirmed === notConfirmed)
          command.error('error: with --offer, give one orderRef, and --confirmed or --not-confirmed');
        return connected(perform, async (connection) =>
          (await import('./resolve/offer.ts')).resolveOffer(connection, first, offer, confirmed),
        );
      }
      if ((first === undefined) === (file === undefined))
        command.error('error: give either orderRefs or --file <file>');
      if (!orderId && !none && file === undefined) command.error('error: give either --order-id <orderId> or --none');
      if (orderId && orderRefs.length > 1) command.error('error: --order-id is for one order; give --file for many');
      return connected(perform, async (connection) => {
        const { resolveMany, serviceSays } = await import('./resolve.ts');
        const says =
          file === undefined
            ? new Map(orderRefs.map((orderRef) => [orderRef, orderId]))
            : serviceSays((await (await import('./shared/local-file.ts')).readLocalFile(file)).toString('utf8'), none);
        return resolveMany(connection, says, others);
      });
    });
}

function addList(program: Command, perform: Perform): void {
  const needSomebody =
    "only orders that wait for an operator, or are unchanged for longer than the stage's alarm allows";
  const rejected = 'what became no order: packages with problems, and uploads that belong to no order';
  const sort = new Option('--sort <by>', 'changed: newest change first; age: oldest change first');
  addFilterOptions(program.command('list').description('list the orders, most recently changed first'))
    .addOption(waitingForOption)
    .option('--stuck', needSomebody)
    .addOption(new Option('--rejected', rejected).conflicts(['status', 'failure', 'waitingFor', 'stuck']))
    .addOption(sort.choices(['changed', 'age', 'order', 'status']).default('changed'))
    .option('--limit <count>', 'at most so many orders, or lines', positive)
    .action((options: ListOptions) =>
      connected(perform, async (connection) =>
        options.rejected
          ? (await import('./shared/rejected-lines.ts')).listRejected(connection, options)
          : (await import('./list.ts')).list(connection, options),
      ),
    );
}

function addPause(program: Command, perform: Perform): void {
  program
    .command('pause')
    .description('pause the stage: no function calls the order service, and orders wait')
    .requiredOption('--reason <text>', 'why, without personal data: every command shows it', reasonOf)
    .action(({ reason }: { reason: string }) =>
      connected(
        perform,
        async (connection) => (await import('./pause.ts')).pause(connection, reason),
        'without pause line',
      ),
    );
  program
    .command('resume')
    .description('resume a paused stage: its orders go on')
    .action(() =>
      connected(perform, async (connection) => (await import('./resume.ts')).resume(connection), 'without pause line'),
    );
}

function addRestored(program: Command, perform: Perform): void {
  program
    .command('restored')
    .description('after the table of orders was restored to a point in time: let no order be created twice')
    .requiredOption('--to <time>', 'the time that the table was restored to, such as 2026-11-12T09:00:00Z', instant)
    .option('--table <name>', 'the restored table, if the stage does not use it yet')
    .option('--preview', 'only show which orders are meant')
    .option('--yes', 'do not ask')
    .action((options: RestoredOptions) =>
      connected(
        perform,
        async (connection) => (await import('./restored.ts')).restored(connection, options),
        'without pause line',
      ),
    );
}

/** The commands that keep, remove, and prove the data of orders. */
export function addDataCommands(program: Command, perform: Perform): void {
  ofOrder(program, 'hold', 'keep everything of an order, however old it is')
    .option('--release', 'end the hold')
    .action((orderRef: string, { release }: { release?: true }) =>
      connected(perform, async (connection) => {
        const command = await import('./hold.ts');
        return release ? command.release(connection, orderRef) : command.hold(connection, orderRef);
      }),
    );
  ofOrder(
    program,
    'erase',
    'remove the files of an order that is over, and what may be personal in its record, for good',
  )
    .requiredOption('--confirm <orderRef>', 'the orderRef once more')
    .action(async (orderRef: string, { confirm }: { confirm: string }) => {
      const command = await import('./erase.ts');
      command.refuseUnconfirmed(orderRef, confirm);
      return connected(perform, (connection) => command.erase(connection, orderRef));
    });
  addEvidence(program, perform);
  addReplay(program, perform);
}

function addEvidence(program: Command, perform: Perform): void {
  ofOrder(program, 'evidence', 'write everything that is known of an order into one archive')
    .option('--out <file>', 'the archive to write; by default <orderRef>.evidence.zip in this folder')
    .option('--unsigned', "do not sign the manifest with the stage's key for evidence")
    .action((orderRef: string, options: EvidenceOptions) =>
      perform(async (place) => (await import('./evidence.ts')).evidence(place, orderRef, options)),
    );
}

function addReplay(program: Command, perform: Perform): void {
  const what = 'decide the reads of orders again, and show where this version decides otherwise';
  ofOrders(program, 'replay', what, '[orderRef...]')
    .option('--all', 'every order that changed in the time --since')
    .option('--since <time>', 'with --all: such as 12h; by default 30d', duration)
    .action((orderRefs: string[] = [], { all, since }: ReplayOptions, command: Command) => {
      if (orderRefs.length > 0 === (all === true)) command.error('error: give orderRefs or --all');
      if (since !== undefined && !all) command.error('error: --since goes with --all');
      return perform(async (place) => (await openReplay()).replay(place, orderRefs, since ?? duration('30d')));
    });
}

/** A version is tried from its checkout. The built file runs on Node 20 too, which cannot parse exact numbers. */
const openReplay = () =>
  process.env.LOAN_ORDERS_COMMIT === undefined
    ? import('./replay.ts')
    : Promise.reject(
        new Refusal('The built file cannot replay: use "npx loan-orders replay" in a checkout of the version.'),
      );

type ReplayOptions = { all?: true; since?: number };
