import { setTimeout as pause } from 'node:timers/promises';
import { confirm } from '@clack/prompts';
import { failureOf } from '../failure.ts';
import { answered, canAsk } from '../questions.ts';
import { type Answer, REFUSED, Refusal } from '../refusal.ts';
import type { Connection } from '../stage/connection.ts';
import { columns, some, span, time } from '../text.ts';
import { age, matching, type OrderFilter } from './order-filter.ts';

/** Which orders a command takes, and how. */
export interface ManyOptions extends OrderFilter {
  all?: true;
  preview?: true;
  yes?: true;
  /** Orders begun in a second. */
  pace: number;
}

/** A command for one order that can be given to many. */
export interface ManyCommand {
  /** For sentences: `retry`. */
  verb: string;
  done: string;
  /** The orders that `--all` means. */
  candidates: Pick<OrderFilter, 'waitingFor'>[];
  one: (connection: Connection, orderRef: string) => Promise<Answer>;
}

export interface Outcome {
  orderRef: string;
  done: boolean;
  /** What the command said of this order. */
  said: string;
}

const SHOWN_IN_PREVIEW = 20;
const NOTHING = 'Nothing was done.';

/**
 * Does a command for the orders that are named, or that the options mean. One named order is answered as ever. Many are shown first,
 * asked about, and done one after another at the pace; an order that is refused stops none of the others. It can be said again.
 */
export async function onMany(
  command: ManyCommand,
  connection: Connection,
  place: { stage: string; where: string },
  orderRefs: string[],
  options: ManyOptions,
): Promise<Answer> {
  const [only] = orderRefs;
  if (only !== undefined && orderRefs.length === 1 && !options.preview) return command.one(connection, only);
  const chosen =
    orderRefs.length > 0 ? [...new Set(orderRefs)] : await meant(command, connection, place.stage, options);
  if (chosen.length === 0) return { lines: ['No matching orders: nothing was done.'], json: { orders: [] } };
  const lines = await previewOf(connection, command, chosen);
  if (options.preview) return { lines: [...lines, 'Nothing was done.'], json: { preview: true, orders: chosen } };
  if (!options.yes) await ask(command, chosen, lines);
  return summary(command, await doEach(command, connection, place.where, chosen, options.pace));
}

async function meant(command: ManyCommand, { record }: Connection, stage: string, options: ManyOptions) {
  const found = await Promise.all(command.candidates.map((party) => record.list({ ...options, ...party })));
  return matching(found.flat(), options, stage, Date.now()).map(({ orderRef }) => orderRef);
}

async function previewOf({ record }: Connection, { verb }: ManyCommand, chosen: string[]): Promise<string[]> {
  const now = Date.now();
  const known = new Map((await record.list()).map((order) => [order.orderRef, order]));
  const rows = chosen.slice(0, SHOWN_IN_PREVIEW).map((orderRef) => {
    const order = known.get(orderRef);
    if (!order) return [orderRef, 'unknown', '', '', ''];
    const { status, changedAt, failure } = order;
    return [orderRef, status, failure?.error ?? '', time(changedAt), span(age(order, now))];
  });
  const more = chosen.length - rows.length;
  return [
    ...columns([['ORDER', 'STATUS', 'FAILURE', 'CHANGED', 'UNCHANGED FOR'], ...rows]),
    ...(more > 0 ? [`and ${some(more, 'more order')}`] : []),
    '',
    `${verb} would be done for ${some(chosen.length, 'order')}.`,
  ];
}

/** @throws Refusal unless a person says yes. */
async function ask({ verb }: ManyCommand, chosen: string[], lines: string[]): Promise<void> {
  const count = some(chosen.length, 'order');
  if (!canAsk()) {
    throw new Refusal(
      `${verb} for ${count} needs your word, and there is no terminal to ask on: nothing was done. Look with --preview, then add --yes.`,
    );
  }
  process.stderr.write(`${lines.join('\n')}\n`);
  const question = confirm({ message: `${verb} ${count}?`, initialValue: false, output: process.stderr });
  if (!(await answered(question, NOTHING))) throw new Refusal(NOTHING);
}

/** Does the command for one order after another, at a pace. An order that is refused stops none of the others. */
export async function doEach(
  { one }: ManyCommand,
  connection: Connection,
  where: string,
  chosen: string[],
  pace: number,
): Promise<Outcome[]> {
  const begun: Promise<Outcome>[] = [];
  for (const orderRef of chosen) {
    if (begun.length > 0) await pause(1000 / pace);
    begun.push(
      one(connection, orderRef).then(
        ({ lines }) => ({ orderRef, done: true, said: lines.join(' ') }),
        (error: unknown) => ({ orderRef, done: false, said: failureOf(error, where).sentence }),
      ),
    );
  }
  return Promise.all(begun);
}

function summary({ verb, done }: ManyCommand, outcomes: Outcome[]): Answer {
  const refused = outcomes.filter((outcome) => !outcome.done);
  const count = outcomes.length - refused.length;
  return {
    lines: [
      `${some(outcomes.length, 'order')}: ${count} ${done}${refused.length > 0 ? `, ${refused.length} not:` : '.'}`,
      ...refused.map(({ orderRef, said }) => `  ${orderRef}: ${said}`),
      ...(refused.length > 0 ? [`${verb} can be said again: it does nothing twice.`] : []),
    ],
    json: { orders: outcomes },
    ...(refused.length > 0 && { exitCode: REFUSED }),
  };
}
