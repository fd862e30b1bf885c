import { type Explanation, type Fault, MAX_RULE_CHOICES } from './rule-limits.ts';

const MOST_CHARACTERS = 4_000;
/** The most faults of an explanation. */
export const MOST_FAULTS = 20;
const LONGEST_VALUE = 80;

/** Explains what a rule returned: the value itself, and where it is not a list of `{ offerId, code }`. */
export function explain(result: unknown): Explanation {
  const isList = Array.isArray(result);
  const list: unknown[] = isList ? result : result === undefined ? [] : [result];
  const faults = list
    .slice(0, MAX_RULE_CHOICES)
    .flatMap((choice, position) => faultsOf(choice, pathOf(isList, position)));
  const tooMany =
    list.length > MAX_RULE_CHOICES
      ? [{ path: '$', found: describe(result), asked: `Asked is a list of at most ${MAX_RULE_CHOICES} choices.` }]
      : [];
  return {
    returned: cut(json(result), MOST_CHARACTERS),
    isList,
    faults: [...tooMany, ...faults].slice(0, MOST_FAULTS),
  };
}

/** Explains why JSONata ended a rule. */
export function explainFailure(error: unknown): Explanation {
  const { message, position } = error as { message?: unknown; position?: unknown };
  const where = typeof position === 'number' ? ` (at character ${position} of the rule)` : '';
  return { error: `${cut(String(message ?? error), MOST_CHARACTERS)}${where}` };
}

/** The path to a choice within what the rule returned. */
export function pathOf(isList: boolean, position: number): string {
  return isList ? `$[${position}]` : '$';
}

/** A value in words. */
export function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (isFunction(value)) return 'a function';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object')
    return `an object with ${cut(Object.keys(value).join(', ') || 'no properties', LONGEST_VALUE)}`;
  return typeof value === 'string'
    ? `the text ${JSON.stringify(cut(value, LONGEST_VALUE))}`
    : `the ${typeof value} ${value}`;
}

/** JSONata marks functions of a rule and its own ones, which are objects. */
function isFunction(value: unknown): boolean {
  const { _jsonata_lambda: ofRule, _jsonata_function: own } = (value ?? {}) as Record<string, unknown>;
  return typeof value === 'function' || ofRule === true || own === true;
}

function faultsOf(choice: unknown, path: string): Fault[] {
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

/** A rule may return a function, which holds circles. */
function json(value: unknown): string {
  try {
    return JSON.stringify(value, shortened, 2) ?? describe(value);
  } catch {
    return 'a value that JSON cannot hold, such as a function';
  }
}

/** A rule may return almost as much as it may hold: writing all of it out would need too much memory. */
function shortened(_name: string, value: unknown): unknown {
  if (typeof value === 'string') return cut(value, MOST_CHARACTERS);
  return Array.isArray(value) ? value.slice(0, MAX_RULE_CHOICES + 1) : value;
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters)`;
}
