import { isJsonObject, type Json, type JsonObject } from '../protocol/json.ts';

/** A right that a request needs. */
export interface NeededRight {
  /** For example `s3:GetObject`. */
  action: string;
  /** An ARN. Undefined if the request does not show its resource: then a right on any resource is enough. */
  resource: string | undefined;
  /** The request's condition keys. */
  context?: Record<string, string>;
}

/** A statement of a policy. */
export interface Statement {
  effect: 'Allow' | 'Deny';
  /** Whether it is about this right. */
  covers: (needed: NeededRight) => boolean;
}

type Refuse = (problem: string) => Error;

const MEMBERS = ['Sid', 'Effect', 'Action', 'Resource', 'Condition'];

/** The supported condition keys. */
const CONDITION_KEYS = ['events:source', 'kms:ViaService', 'dynamodb:LeadingKeys'];
/** A key with several values needs the second one. It also holds if the request does not have the key. */
const OPERATORS = ['StringEquals', 'ForAllValues:StringEquals'];

/** The statements of a policy document. Throws the error of `refuse` for the first thing that is not supported. */
export function compilePolicy(document: JsonObject, refuse: Refuse): Statement[] {
  const { Statement: statements } = document;
  const list = Array.isArray(statements) ? statements : [statements ?? null];
  return list.map((statement) => {
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
  const holds = compileCondition(condition, refuse);
  const covers = (needed: NeededRight) =>
    matchesAction(needed.action) &&
    (needed.resource === undefined || matchesResource(needed.resource)) &&
    holds(needed.context ?? {});
  return { effect, covers };
}

/** Whether the statements give a right. A denial wins over every permission. */
export function judge(statements: readonly Statement[], needed: NeededRight): 'allowed' | 'lacking' | 'denied' {
  const of = (wanted: Statement['effect']) =>
    statements.some(({ effect, covers }) => effect === wanted && covers(needed));
  if (of('Deny')) return 'denied';
  return of('Allow') ? 'allowed' : 'lacking';
}

function compilePatterns(value: Json | undefined, member: string, flags: string, refuse: Refuse) {
  const patterns = strings(value);
  if (!patterns) throw refuse(`has a policy whose ${member} is neither a string nor a list of strings.`);
  const variable = patterns.find((pattern) => pattern.includes('${'));
  if (variable) throw refuse(`has a policy with the variable ${variable}, which is not supported.`);
  const expressions = patterns.map((pattern) => wildcards(pattern, flags));
  return (text: string) => expressions.some((expression) => expression.test(text));
}

function strings(value: Json | undefined): string[] | undefined {
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

/** Refuses an unknown condition: to ignore it would grant a right that AWS does not grant. */
function compileCondition(condition: Json | undefined, refuse: Refuse): (context: Record<string, string>) => boolean {
  if (condition === undefined) return () => true;
  const operators = isJsonObject(condition) ? Object.entries(condition) : [];
  const [[operator = '', keys = null] = [], ...others] = operators;
  if (!OPERATORS.includes(operator) || !isJsonObject(keys) || others.length > 0) {
    throw refuse(`has a policy with the condition ${JSON.stringify(condition)}; only StringEquals is supported.`);
  }
  const isForAll = operator !== 'StringEquals';
  const wanted = Object.entries(keys).map(([key, value]) => {
    const values = strings(value);
    if (values && CONDITION_KEYS.includes(key)) return { key, values };
    throw refuse(`has a policy with a condition on ${key}, which is not supported.`);
  });
  return (context) =>
    wanted.every(({ key, values }) => (isForAll && !(key in context)) || values.includes(context[key] ?? ''));
}
