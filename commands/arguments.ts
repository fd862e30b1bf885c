import { InvalidArgumentError } from 'commander';
import type { WaitingFor } from '../core/order/order-item.ts';
import { isOrderRef } from '../core/package/intake-key.ts';
import type { Answer } from './refusal.ts';
import type { PlaceOptions } from './stage/place.ts';
import { plain } from './text.ts';

const MOST_CHARACTERS_OF_REASON = 200;

/**
 * Runs a command and prints its answer. Commands import what they need when they run, because the SDK is large. A command that
 * works `here` calls no AWS, so no laptop is looked for. Every other one says that the stage is paused, if it is, unless the pause
 * remains `untold`.
 * `print` writes a line at once, for a command that takes long. It is undefined with `--json`.
 */
export type Perform = (
  work: (place: PlaceOptions, print: ((line: string) => void) | undefined) => Promise<Answer>,
  where?: 'here' | 'stage' | 'stage untold',
) => Promise<void>;

/** The values of `waitingFor`. */
export const PARTIES = ['service', 'signatures', 'decision', 'operator', 'nobody'] as const satisfies WaitingFor[];

export function orderReference(text: string): string {
  if (isOrderRef(text)) return text;
  throw new InvalidArgumentError(
    'It is not an orderRef: use 1-64 of A-Z a-z 0-9 . _ -, and begin with a letter or digit.',
  );
}

export function address(text: string): string {
  if (URL.canParse(text) && /^https?:/.test(text)) return text;
  throw new InvalidArgumentError('It is not an http:// or https:// address.');
}

export function port(text: string): number {
  const value = Number(text);
  if (/^\d{1,5}$/.test(text) && value <= 65_535) return value;
  throw new InvalidArgumentError('It is not a port: give a number from 0 to 65535. 0 is any free one.');
}

export function reasonOf(text: string): string {
  const reason = plain(text);
  if (reason.length > 0 && reason.length <= MOST_CHARACTERS_OF_REASON) return reason;
  throw new InvalidArgumentError(`Give a reason of at most ${MOST_CHARACTERS_OF_REASON} characters.`);
}

/** A variable of a script that is not set leaves no name. */
export function folder(text: string): string {
  if (text !== '') return text;
  throw new InvalidArgumentError('Name a folder.');
}

/** The parser of a repeatable option. */
export function collect(text: string, earlier: string[] = []): string[] {
  return [...earlier, text];
}
