import type { Choice } from '../order/kept-decision.ts';
import type { Offer } from '../order-service/order-service-client.ts';
import { MOST_CHOICES } from '../package/decision-limits.ts';

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
      faults: RuleFault[];
    }
  | {
      /** What JSONata says about a rule that failed. */
      error: string;
    };

/** A part of what a rule returned that is not what is asked. */
export interface RuleFault {
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

export const MOST_FAULTS = 20;
const LONGEST_VALUE = 80;

/** Explains what a rule returned: the value itself, and where it is not a list of `{ offerId, code }`. */
export function explain(result: unknown): Explanation {
  const isList = Array.isArray(result);
  const list: unknown[] = isList ? result : result === undefined ? [] : [result];
  const faults = list.slice(0, MOST_CHOICES).flatMap((choice, position) => faultsOf(choice, pathOf(isList, position)));
  const tooMany =
    list.length > MOST_CHOICES
      ? [{ path: '$', found: describe(result), asked: `Asked is a list of at most ${MOST_CHOICES} choices.` }]
      : [];
  return {
    returned: cut(JSON.stringify(result, undefined, 2) ?? describe(result), LONGEST_TEXT),
    isList,
    faults: [...tooMany, ...faults].slice(0, MOST_FAULTS),
  };
}

export function explainFailure({ message, position }: { message: string; position?: number }): Explanation {
  return { error: `${message}${position === undefined ? '' : ` (at character ${position} of the rule)`}` };
}

/** The path to a choice within what the rule returned. */
export function pathOf(isList: boolean, position: number): string {
  return isList ? `$[${position}]` : '$';
}

export function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (isFunction(value)) return 'a function';
  if (Array.isArray(value)) {
    return value.length > MOST_CHOICES ? `a list of more than ${MOST_CHOICES}` : `a list of ${value.length}`;
  }
  if (typeof value === 'object')
    return `an object with ${cut(Object.keys(value).join(', ') || 'no properties', LONGEST_VALUE)}`;
  return typeof value === 'string'
    ? `the text ${JSON.stringify(cut(value, LONGEST_VALUE))}`
    : `the ${typeof value} ${value}`;
}

/** The sandbox gives this in place of a function. */
function isFunction(value: unknown): boolean {
  return (value as { _jsonata_function?: unknown } | null | undefined)?._jsonata_function === true;
}

function faultsOf(choice: unknown, path: string): RuleFault[] {
  if (typeof choice !== 'object' || choice === null || Array.isArray(choice) || isFunction(choice)) {
    return [{ path, found: describe(choice), asked: 'Asked is an object { offerId, code }.' }];
  }
  return (['offerId', 'code'] as const).flatMap((name) => {
    const value = (choice as Record<string, unknown>)[name];
    return typeof value === 'string'
      ? []
      : [{ path: `${path}.${name}`, found: describe(value), asked: 'Asked is a text.' }];
  });
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters)`;
}
