import type { Choice } from '../order/kept-decision.ts';
import type { Offer } from '../order-service/order-service-client.ts';

export interface RuleTask {
  rule: string;
  order: unknown;
  offers: Offer[];
  /** How long it may take; {@link RULE_SECONDS} where absent. */
  mostSeconds?: number;
}

/** What a rule returned, or why a human must choose. The reason contains no data of the order. */
export type RuleOutcome = { choices: Choice[] } | { reason: string };

/** An outcome with its explanation. A rule that was ended has none. */
export type ExplainedOutcome = RuleOutcome & { explanation?: Explanation };

/** A message of the thread: a rule begins, or has ended. */
export type ThreadMessage = 'begun' | ExplainedOutcome;

/** What a rule did, for whoever writes it. It may hold data of the order, so only the command line shows it. */
export type Explanation =
  | {
      /** What the rule returned, as JSON. A long text is cut. */
      returned: string;
      /** Whether it returned a list. JSONata returns a list of one element as that element. */
      isList: boolean;
      /** Where that is not what is asked. */
      faults: Fault[];
    }
  | {
      /** What JSONata says about a rule that failed. */
      error: string;
    };

/** A part of what a rule returned that is not what is asked. */
export interface Fault {
  /** JSONPath within what the rule returned. */
  path: string;
  found: string;
  asked: string;
}

/** How long a rule may run. A rule over a hundred offers takes a few milliseconds. */
export const RULE_SECONDS = 2;

/** How much memory a rule may use, its input and JSONata included. An order and its offers take a few megabytes. */
export const RULE_MEGABYTES = 64;

/** The longest text of what a rule returned that leaves the sandbox, in characters. */
export const LONGEST_TEXT = 4_000;

export const NEEDED_TOO_MUCH_TIME = `The rule did not end within ${RULE_SECONDS} seconds.`;
export const NEEDED_TOO_MUCH_MEMORY = `The rule needed more than ${RULE_MEGABYTES} MB of memory.`;
