import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { inBatches } from '../../core/in-batches.ts';
import type { OrderItem, WaitingFor } from '../../core/order/order-item.ts';
import { ofOrders, type Perform, positive, withConnection } from './arguments.ts';
import type { StageConnection } from './connection.ts';
import { commandFailure } from './failure.ts';
import { addFilterOptions, age, checkFilter, matching, type OrderFilter } from './order-filter.ts';
import { place as placeOf } from './place.ts';
import { canAsk, requireYes } from './questions.ts';
import { type SaidOf, saidOnce } from './said-once.ts';
import { type CommandResult, columns, formatCounts, formatSpan, REFUSED, Refusal, some, time } from './text.ts';

/** Orders started per second. Step Functions and the order service do not throttle this rate. */
const USUAL_PACE = 10;

export interface ManyOptions extends OrderFilter {
  all?: true;
  preview?: true;
  yes?: true;
  /** Orders started per second. */
  pace: number;
}

/** A command for one order that can be given to many. */
export interface ManyCommand {
  /** The command's name, also used in sentences. */
  verb: 'retry' | 'abort' | 'migrate' | 'resolve';
  done: string;
  /** `--all` means the orders that wait for these. */
  candidates: WaitingFor[];
  one: (connection: StageConnection, orderRef: string) => Promise<ManyAnswer>;
  /** Throws the refusal that `one` would throw, without doing anything. */
  check?: (connection: StageConnection, orderRef: string) => Promise<unknown>;
  /** Shows and asks even for a single order. */
  asksOfOne?: boolean;
  /** Default: the orders with their statuses and failures, and which of them would be refused. */
  preview?: (connection: StageConnection, orderRefs: string[]) => Promise<Preview>;
}

/** The answer for one of many orders. With `nothingToDo`, the order was already in the target state. */
export type ManyAnswer = CommandResult & { nothingToDo?: boolean };

export interface Preview {
  lines: string[];
  orders: unknown[];
  refused?: SaidOf[];
}

export interface OrderOutcome {
  orderRef: string;
  /** Also true if there was nothing to do. */
  done: boolean;
  nothingToDo?: boolean | undefined;
  said: string;
}

const SHOWN_IN_PREVIEW = 20;
export const NOTHING = 'Nothing was done.';

/** Adds a command that takes one order or many. `all` says what `--all` means; `given` what further options change. */
export function ofMany(
  program: Command,
  perform: Perform,
  command: ManyCommand & Record<'description' | 'all', string>,
  given: (options: ManyOptions, isAlone: boolean) => Partial<ManyCommand> = () => ({}),
) {
  return addFilterOptions(ofOrders(program, command.verb, command.description, '[orderRef...]'))
    .option('--all', command.all)
    .option('--preview', 'only show which orders are meant')
    .option('--yes', 'do not ask')
    .option('--pace <count>', 'orders begun in a second', positive, USUAL_PACE)
    .action((orderRefs: string[] = [], options: ManyOptions, self: Command) => {
      const filters = [options.status, options.failure, options.olderThan, options.all];
      const isFiltered = filters.some((value) => value !== undefined);
      if (orderRefs.length > 0 === isFiltered) {
        self.error('error: give either orderRefs, or --all, --failure, --status or --older-than');
      }
      const changed = { ...command, ...given(options, orderRefs.length === 1) };
      return withConnection(perform, (connection) => onMany(changed, connection, orderRefs, options))();
    });
}

/**
 * Runs a command for the named orders, or for those that the options select. A single named order gets the usual answer. Several are shown
 * first, and after a question run one after another at the pace; a refused order does not stop the others. The command is repeatable.
 */
export async function onMany(
  command: ManyCommand,
  connection: StageConnection,
  orderRefs: string[],
  options: ManyOptions,
): Promise<CommandResult> {
  const [only] = orderRefs;
  const isAlone = only !== undefined && orderRefs.length === 1;
  if (isAlone && !options.preview && (options.yes || !command.asksOfOne)) return command.one(connection, only);
  const chosen = orderRefs.length > 0 ? [...new Set(orderRefs)] : await meant(command, connection, options);
  if (chosen.length === 0) return { lines: ['No matching orders: nothing was done.'], json: { orders: [] } };
  if (options.preview || !options.yes) {
    const preview = await (command.preview?.(connection, chosen) ?? previewOf(connection, command, chosen));
    const { lines, ...found } = preview;
    if (options.preview) return { lines: [...lines, NOTHING], json: { preview: true, ...found } };
    const [refusal] = found.refused ?? [];
    if (isAlone && refusal) throw new Refusal(refusal.said);
    const all = some(chosen.length, 'order');
    const refused = found.refused?.length ?? 0;
    await ask(command.verb, refused > 0 ? `${chosen.length - refused} of ${all}` : all, lines);
  }
  return summary(command, await doEach(command, connection, chosen, options.pace));
}

async function meant(command: ManyCommand, { record }: StageConnection, options: ManyOptions) {
  await checkFilter(record, options);
  const found = await Promise.all(command.candidates.map((waitingFor) => record.list({ ...options, waitingFor })));
  return matching(found.flat(), options, Date.now()).map(({ orderRef }) => orderRef);
}

async function previewOf(connection: StageConnection, command: ManyCommand, refs: string[]): Promise<Preview> {
  const { record } = connection;
  const refused = await refusedOf(connection, command.check, refs);
  const chosen = refs.filter((orderRef) => !refused.some((one) => one.orderRef === orderRef));
  const now = Date.now();
  const shown = chosen.slice(0, SHOWN_IN_PREVIEW);
  const orders = await record.table.getItems(shown.map((orderRef) => ({ orderRef, item: 'order' })));
  const rows = shown.map((orderRef, at) => {
    const order = orders[at] as OrderItem | undefined;
    if (!order) return [orderRef, 'unknown', '', '', ''];
    const { status, changedAt, failure } = order;
    return [orderRef, status, failure?.error ?? '', time(changedAt), formatSpan(age(order, now))];
  });
  const more = chosen.length - rows.length;
  const lines = [
    ...columns([['ORDER', 'STATUS', 'FAILURE', 'CHANGED', 'UNCHANGED FOR'], ...rows]),
    ...(more > 0 ? [`and ${some(more, 'more order')}`] : []),
    '',
    ...refusedLines(command.verb, refs, refused),
  ];
  return { lines, orders: chosen, refused };
}

/** How many orders the command would run for, and why not for the others. */
export function refusedLines(verb: ManyCommand['verb'], refs: string[], refused: SaidOf[]): string[] {
  const count = some(refs.length, 'order');
  if (refused.length === 0) return [`${verb} would be done for ${count}.`];
  return [`${verb} would be done for ${refs.length - refused.length} of ${count}. Not for:`, ...saidOnce(refused)];
}

export async function refusedOf(
  connection: StageConnection,
  check: ManyCommand['check'],
  refs: string[],
): Promise<SaidOf[]> {
  const refused = new Map<string, SaidOf>();
  await inBatches(check ? refs : [], async (orderRef) => {
    await check?.(connection, orderRef).catch((error: unknown) =>
      refused.set(orderRef, { orderRef, said: commandFailure(error, placeOf(connection.place)).sentence }),
    );
  });
  return refs.flatMap((orderRef) => refused.get(orderRef) ?? []);
}

/** @throws Refusal unless a person says yes. */
export async function ask(verb: string, count: string, lines: readonly string[]): Promise<void> {
  if (!canAsk()) {
    throw new Refusal(
      `${verb} for ${count} needs your confirmation, and there is no terminal: nothing was done. Look with --preview, then add --yes.`,
    );
  }
  process.stderr.write(`${lines.join('\n')}\n`);
  await requireYes(`${verb} ${count}?`, NOTHING);
}

/** Runs the command for one order after another, at a pace. A refused order does not stop the others. */
async function doEach({ one }: ManyCommand, connection: StageConnection, chosen: string[], pace: number) {
  const where = placeOf(connection.place);
  const begun: Promise<OrderOutcome>[] = [];
  for (const orderRef of chosen) {
    if (begun.length > 0) await pause(1000 / pace);
    begun.push(
      one(connection, orderRef).then(
        ({ lines, nothingToDo }) => ({ orderRef, done: true, nothingToDo, said: lines.join(' ') }),
        (error: unknown) => ({ orderRef, done: false, said: commandFailure(error, where).sentence }),
      ),
    );
  }
  return Promise.all(begun);
}

function summary({ verb, done }: ManyCommand, outcomes: OrderOutcome[]): CommandResult {
  const refused = outcomes.filter((outcome) => !outcome.done);
  const idle = outcomes.filter(({ nothingToDo }) => nothingToDo).length;
  const others = formatCounts({ 'with nothing to do': idle, not: refused.length });
  const counted = [`${outcomes.length - refused.length - idle} ${done}`, others].filter(Boolean);
  return {
    lines: [
      `${some(outcomes.length, 'order')}: ${counted.join(', ')}${refused.length > 0 ? ':' : '.'}`,
      ...saidOnce(refused),
      ...(refused.length > 0 ? [`Repeating ${verb} is safe: it does nothing twice.`] : []),
    ],
    json: { orders: outcomes },
    ...(refused.length > 0 && { exitCode: REFUSED }),
  };
}
