import { isJsonObject, type Json, type JsonObject } from '../protocol/operation.ts';
import { actionWithoutResource } from './resource-types.ts';

export interface NeededRight {
  action: string;
  /** An ARN. Undefined if the request does not name its resource: then permission for any resource is enough. */
  resource: string | undefined;
  /** The ARN of the key that encrypts the object itself. */
  key?: string;
  context?: RequestContext;
}

export type RequestContext = Record<string, readonly string[]>;

export interface Statement {
  effect: 'Allow' | 'Deny';
  covers: (needed: NeededRight) => boolean;
}

type Refuse = (problem: string) => Error;

const MEMBERS = ['Sid', 'Effect', 'Action', 'Resource', 'Condition'];

/** The supported condition keys. Those of type `ArrayOfString` in the Service Authorization Reference are multivalued. */
const CONDITION_KEYS: Record<string, 'one' | 'several'> = {
  'kms:ViaService': 'one',
  'events:source': 'several',
  'dynamodb:LeadingKeys': 'several',
  'dynamodb:Attributes': 'several',
};

/** Whether a condition key's values in a request satisfy the condition. `ForAllValues` is also true if there are no values. */
const OPERATORS: Record<string, (values: readonly string[], wanted: readonly string[]) => boolean> = {
  StringEquals: (values, wanted) => values.length > 0 && values.every((value) => wanted.includes(value)),
  'ForAllValues:StringEquals': (values, wanted) => values.every((value) => wanted.includes(value)),
  Null: (values, wanted) => wanted.includes(String(values.length === 0)),
};

/** Compiles the statements of a policy document. Throws the error of `refuse` for the first unsupported feature. */
export function compilePolicy(document: JsonObject, refuse: Refuse): Statement[] {
  const { Statement: statements } = document;
  return [statements].flat().map((statement) => {
    if (!isJsonObject(statement)) throw refuse('has a policy with a statement that is not an object.');
    return compileStatement(statement, refuse);
  });
}

function compileStatement(statement: JsonObject, refuse: Refuse): Statement {
  const other = Object.keys(statement).find((member) => !MEMBERS.includes(member));
  if (other) throw refuse(`has a policy with ${other}, which is not supported.`);
  const { Effect: effect, Action: action, Resource: resource, Condition: condition } = statement;
  if (effect !== 'Allow' && effect !== 'Deny') throw refuse(`has a policy with the effect ${String(effect)}.`);
  const matchesAction = compilePatterns(action, 'Action', 'i', refuse);
  const matchesResource = compilePatterns(resource, 'Resource', '', refuse);
  const misplaced = effect === 'Allow' && actionWithoutResource(strings(action) ?? [], strings(resource) ?? []);
  if (misplaced)
    throw refuse(
      `has a policy that allows ${misplaced} on ${JSON.stringify(resource)}, but this action needs another resource type.`,
    );
  const holds = compileCondition(condition, refuse);
  const covers = (needed: NeededRight) =>
    matchesAction(needed.action) &&
    (needed.resource === undefined || matchesResource(needed.resource)) &&
    holds(needed.context ?? {});
  return { effect, covers };
}

/** Evaluates the statements for a request. `Deny` overrides `Allow`. */
export function evaluate(statements: readonly Statement[], needed: NeededRight): 'allowed' | 'lacking' | 'denied' {
  const of = (wanted: Statement['effect']) =>
    statements.some(({ effect, covers }) => effect === wanted && covers(needed));
  if (of('Deny')) return 'denied';
  return of('Allow') ? 'allowed' : 'lacking';
}

export function namesService({ Principal: principal, Action: action }: JsonObject, service: string, name: string) {
  const services = isJsonObject(principal) ? strings(principal.Service) : undefined;
  if (!services?.includes(service)) return false;
  return strings(action)?.some((pattern) => wildcards(pattern, 'i').test(name)) ?? false;
}

function compilePatterns(value: Json | undefined, member: string, flags: string, refuse: Refuse) {
  const patterns = strings(value);
  if (!patterns) throw refuse(`has a policy whose ${member} is neither a string nor a list of strings.`);
  const variable = patterns.find((pattern) => pattern.includes('${'));
  if (variable) throw refuse(`has a policy with the variable ${variable}, which is not supported.`);
  const expressions = patterns.map((pattern) => wildcards(pattern, flags));
  return (text: string) => expressions.some((expression) => expression.test(text));
}

export function strings(value: Json | undefined): string[] | undefined {
  const list = Array.isArray(value) ? value : [value];
  return list.length > 0 && list.every((one) => typeof one === 'string') ? list : undefined;
}

/** `*` matches any text, including slashes and colons; `?` matches any one character. */
function wildcards(pattern: string, flags: string): RegExp {
  const source = pattern.replace(/[\\^$.*+?()[\]{}|]/g, (special) => {
    if (special === '*') return '.*';
    return special === '?' ? '.' : `\\${special}`;
  });
  return new RegExp(`^${source}$`, `s${flags}`);
}

/** Refuses unknown conditions: to ignore one could allow what AWS denies. */
function compileCondition(condition: Json | undefined, refuse: Refuse): (context: RequestContext) => boolean {
  if (condition === undefined) return () => true;
  const tests = Object.entries(isJsonObject(condition) ? condition : { '': condition }).flatMap(([operator, keys]) => {
    const test = OPERATORS[operator];
    if (test && isJsonObject(keys))
      return Object.entries(keys).map((entry) => compileKey(operator, test, entry, refuse));
    const known = Object.keys(OPERATORS).join(', ');
    throw refuse(`has a policy with the condition ${JSON.stringify(condition)}; only ${known} are supported.`);
  });
  return (context) => tests.every((holds) => holds(context));
}

function compileKey(
  operator: string,
  test: (values: readonly string[], wanted: readonly string[]) => boolean,
  [key, value]: [string, Json | undefined],
  refuse: Refuse,
): (context: RequestContext) => boolean {
  const wanted = strings(value);
  if (!wanted || !Object.hasOwn(CONDITION_KEYS, key))
    throw refuse(`has a policy with a condition on ${key}, which is not supported.`);
  // IAM does not define single-valued operators for multivalued keys ("Set operators for multivalued context keys").
  if (operator === 'StringEquals' && CONDITION_KEYS[key] === 'several')
    throw refuse(
      `has a policy with StringEquals on ${key}, which may have several values: use ForAllValues:StringEquals.`,
    );
  return (context) => test(context[key] ?? [], wanted);
}
