import { LONGEST_TEXT, type RuleOutcome } from '../../core/offers/rule-limits.ts';
import type { Failed, Returned } from '../../core/offers/rule-sandbox.ts';
import { MOST_CHOICES } from '../../core/package/decision-limits.ts';

/** An outcome with its explanation. A rule that was ended has none. */
export type ExplainedOutcome = RuleOutcome & { explanation?: Explanation };

/** What a rule did, for whoever writes it. It may hold data of the order. */
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

export const MOST_FAULTS = 20;
const LONGEST_VALUE = 80;

export function explain(answer: Returned | Failed): Explanation {
  if (answer.kind === 'returned') return explainReturned(answer.returned);
  const { message, position } = answer;
  return { error: `${message}${position === undefined ? '' : ` (at character ${position} of the rule)`}` };
}

/** The value itself, and where it is not a list of `{ offerId, code }`. */
function explainReturned(result: unknown): Explanation {
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
