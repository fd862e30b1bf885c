import type { Choice } from '../package/kept-decision.ts';

export interface RuleTask {
  rule: string;
  /** The JSON text of `{ order, offers }`. */
  input: string;
}

/** What a rule returned, or why a human must choose. The reason contains no data of the order. */
export type RuleOutcome = { choices: Choice[] } | { reason: string };

/** A message of the thread: a rule begins, or has ended. */
export type ThreadMessage<Outcome> = 'begun' | Outcome;

/** How long a rule may run. A rule over a hundred offers takes a few milliseconds. */
export const RULE_SECONDS = 2;

/** How much memory a rule may use, its input and JSONata included. An order and its offers take a few megabytes. */
export const RULE_MEGABYTES = 64;

/** The longest result text that leaves the sandbox, in characters. */
export const LONGEST_RULE_TEXT = 4_000;

export const NEEDED_TOO_MUCH_TIME = `The rule did not end within ${RULE_SECONDS} seconds.`;
export const NEEDED_TOO_MUCH_MEMORY = `The rule needed more than ${RULE_MEGABYTES} MB of memory.`;
