import type { Command } from 'commander';
import { connected, ofOrders, PARTIES, type Perform, positive } from '../shared/arguments.ts';
import type { ManyCommand, ManyOptions } from '../shared/many-orders.ts';
import { addFilterOptions } from '../shared/order-filter.ts';

/** Orders that are begun in a second. Step Functions and the order service take this without being throttled. */
const USUAL_PACE = 10;

/** Whom an unfinished order may wait for. */
const OPEN = PARTIES.filter((party) => party !== 'nobody');

interface Described {
  name: ManyCommand['verb'];
  description: string;
  /** What `--all` means. */
  all: string;
  /** Loaded when the command runs, because the SDK is large. */
  load: () => Promise<Omit<ManyCommand, 'verb'>>;
}

const COMMANDS: Described[] = [
  {
    name: 'retry',
    description: 'start the next execution of orders after their last one has ended',
    all: 'all orders that wait for an operator',
    load: async () => {
      const { retry, checkRetry } = await import('../retry.ts');
      return { done: 'started', candidates: ['operator'], one: retry, check: checkRetry };
    },
  },
  {
    name: 'abort',
    description: 'stop the execution that drives orders; a retry continues from there',
    all: 'all orders that an execution may drive',
    load: async () => ({
      done: 'stopped',
      candidates: ['service', 'signatures', 'decision'],
      one: (await import('../abort.ts')).abort,
    }),
  },
  {
    name: 'migrate',
    description: 'move orders in flight to the newest release at their next read',
    all: 'all orders that are not over',
    load: async () => {
      const { migrate, previewMigration } = await import('../migrate.ts');
      return { done: 'marked', candidates: OPEN, one: migrate, preview: previewMigration };
    },
  },
];

/** Adds the commands that take one order or many. */
export function addManyCommands(program: Command, perform: Perform): void {
  for (const described of COMMANDS) addMany(program, perform, described);
}

function addMany(program: Command, perform: Perform, { name, description, all, load }: Described): void {
  addFilterOptions(ofOrders(program, name, description, '[orderRef...]'))
    .option('--all', all)
    .option('--preview', 'only show which orders are meant')
    .option('--yes', 'do not ask')
    .option('--pace <count>', 'orders begun in a second', positive, USUAL_PACE)
    .action((orderRefs: string[] = [], options: ManyOptions, self: Command) => {
      const filters = [options.status, options.failure, options.olderThan, options.all];
      const isFiltered = filters.some((value) => value !== undefined);
      if (orderRefs.length > 0 === isFiltered) {
        self.error('error: give either orderRefs, or --all, --failure, --status or --older-than');
      }
      return connected(perform, async (connection) => {
        const { onMany } = await import('../shared/many-orders.ts');
        return onMany({ verb: name, ...(await load()) }, connection, orderRefs, options);
      });
    });
}
