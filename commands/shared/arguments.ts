import { type Command, InvalidArgumentError } from 'commander';
import type { WaitingFor } from '../../core/order/order-item.ts';
import { isOrderRef } from '../../core/package/intake-key.ts';
import { checkStageName } from '../../infra/stage-folder.ts';
import { connect, type StageConnection } from './connection.ts';
import { duration } from './order-filter.ts';
import type { PlaceOptions } from './place.ts';
import { type CommandResult, plain } from './text.ts';

export const MOST_CHARACTERS_OF_REASON = 200;

/** Adds a command. Its file must import the SDK and other large modules only when the command runs, because the help loads every file. */
export type AddCommand = (program: Command, perform: Perform) => Command;

/** Writes a line at once, for a command that takes long. There is none with `--json`. */
export type Print = (line: string) => void;

/**
 * Runs a command and prints its answer. A command that works `here` does not call AWS, so no laptop is searched. Every other command also
 * prints a line if the stage is paused, unless it runs `without pause line`.
 */
export type Perform = (
  work: (place: PlaceOptions, print: Print | undefined) => Promise<CommandResult>,
  where?: 'here' | 'stage' | 'without pause line',
) => Promise<void>;

type Run<At, Given extends unknown[]> = (at: At, ...given: Given) => Promise<CommandResult>;

/** The action of a command: `run` gets the place, the arguments and the options. */
export const withPlace =
  <Given extends unknown[]>(perform: Perform, run: Run<PlaceOptions, Given>, where?: Parameters<Perform>[1]) =>
  (...given: Given) =>
    perform((place) => run(place, ...given), where);

export const withConnection = <Given extends unknown[]>(
  perform: Perform,
  run: Run<StageConnection, Given>,
  where?: 'without pause line',
) => withPlace(perform, async (place, ...given: Given) => run(await connect(place), ...given), where);

export const ofOrder = (program: Command, name: string, description: string) =>
  program.command(name).description(description).argument('<orderRef>', YOUR_REFERENCE, orderReference);

/** A command for one order or several. `names` is its argument. */
export const ofOrders = (program: Command, name: string, description: string, names = '<orderRef...>') =>
  program
    .command(name)
    .description(description)
    .argument(names, 'your references for the orders', (text: string, earlier: string[] | undefined) =>
      collect(orderReference(text), earlier),
    );

export const ofFolder = (program: Command, name: string, description: string) =>
  program.command(name).description(description).argument('<folder>', 'the folder of the package');

export const YOUR_REFERENCE = 'your reference for the order';
export const FOLDER_REFERENCE = `${YOUR_REFERENCE}; by default the name of the folder`;

/** The values of `waitingFor`. */
export const PARTIES = ['service', 'signatures', 'decision', 'operator', 'nobody'] as const satisfies WaitingFor[];

export function orderReference(text: string): string {
  if (isOrderRef(text)) return text;
  throw new InvalidArgumentError(
    'It is not an orderRef: use 1-64 of A-Z a-z 0-9 . _ -, and begin with a letter or digit.',
  );
}

export function stageName(text: string): string {
  try {
    return checkStageName(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

export function parseAddress(text: string): string {
  if (URL.canParse(text) && /^https?:/.test(text)) return text;
  throw new InvalidArgumentError('It is not an http:// or https:// address.');
}

export function reasonOf(text: string): string {
  const reason = plain(text);
  if (reason.length > 0 && reason.length <= MOST_CHARACTERS_OF_REASON) return reason;
  throw new InvalidArgumentError(`Give a reason of at most ${MOST_CHARACTERS_OF_REASON} characters.`);
}

const numberFrom =
  (least: number, most: number, what: string, digits = /^\d+$/) =>
  (text: string): number => {
    const value = Number(text);
    if (digits.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It is not a ${what} from ${least} to ${most}.`);
  };

export const port = numberFrom(0, 65_535, 'port');
export const positive = numberFrom(1, 999_999, 'number');
/** At most a week, because a link cannot be revoked. */
export const linkMinutes = numberFrom(1, 7 * 24 * 60, 'number of minutes');
export const seconds = numberFrom(0.1, 3_600, 'number of seconds', /^\d+(\.\d+)?$/);

/** A time with its zone. Without one, the local time zone would be used. */
export function instant(text: string): Date {
  const time = new Date(text);
  if (/T.*(Z|[+-]\d\d:?\d\d)$/.test(text) && since(text.slice(0, 10)) && !Number.isNaN(time.getTime())) return time;
  throw new InvalidArgumentError('It is not a time with its zone: write one such as 2026-11-12T09:00:00Z.');
}

/** Parses `30d`, `2026-11` or `2026-11-12` into a time. */
export function since(text: string): string {
  const isDate = /^\d{4}-\d\d(-\d\d)?$/.test(text);
  const time = new Date(isDate ? text : Date.now() - duration(text));
  // February 30 would be March 2.
  if (!Number.isNaN(time.getTime()) && time.toISOString().startsWith(isDate ? text : '')) return time.toISOString();
  throw new InvalidArgumentError('There is no such date.');
}

export function month(text: string): string {
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) return text;
  throw new InvalidArgumentError('It is not a month: write one such as 2026-11.');
}

/** A script's variable that is not set becomes an empty name. */
export function folder(text: string): string {
  if (text !== '') return text;
  throw new InvalidArgumentError('Name a folder.');
}

export function collect(text: string, earlier: string[] = []): string[] {
  return [...earlier, text];
}
