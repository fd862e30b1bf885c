import { createRequire } from 'node:module';
import { isJsonObject, type Json, type JsonObject } from '../protocol/operation.ts';

/** The input of a dynalite parser. The parser removes the names and values that the expression uses from the unused ones. */
interface Context {
  attrNames?: JsonObject;
  attrVals?: JsonObject;
  unusedAttrNames: Record<string, true>;
  unusedAttrVals: Record<string, true>;
  isKeyCondition?: boolean;
}

interface Parser {
  parse(expression: string, options: { context: Context }): Json;
}

interface Kept {
  /** Names stand for the values of the request. */
  parsed: Json;
  usedNames: string[];
  usedValues: string[];
}

/** The most expressions that are kept for each parser. */
const MOST_KEPT = 500;

/** The only expressions whose checks look at values. All others look at their types. */
const JUDGES_VALUES = /between|attribute_type/i;

/** The member of an object that stands for a value. */
const NAME = '\0name';

const require = createRequire(import.meta.url);

/**
 * Makes dynalite cache parsed expressions. Parsing them for every request took a tenth of the embedded AWS's time, although functions send
 * the same few expressions with different values.
 */
export function keepParsedExpressions(): void {
  for (const name of ['conditionParser', 'updateParser', 'projectionParser']) {
    keepParsed(require(`dynalite/db/${name}`) as Parser);
  }
}

function keepParsed(parser: Parser): void {
  const { parse } = parser;
  const known = new Map<string, Kept>();
  parser.parse = (expression, options) => {
    if (JUDGES_VALUES.test(expression)) return parse(expression, options);
    const { context } = options;
    const key = keyOf(expression, context);
    const kept = known.get(key);
    if (kept) return recall(kept, context);
    const [namesBefore, valuesBefore] = [Object.keys(context.unusedAttrNames), Object.keys(context.unusedAttrVals)];
    const parsed = parse(expression, options);
    const names = new Map(Object.entries(context.attrVals ?? {}).map(([name, value]) => [value, name]));
    if (known.size >= MOST_KEPT) known.clear();
    known.set(key, {
      parsed: JSON.parse(JSON.stringify(parsed, (_, part) => (names.has(part) ? { [NAME]: names.get(part) } : part))),
      usedNames: namesBefore.filter((name) => !Object.hasOwn(context.unusedAttrNames, name)),
      usedValues: valuesBefore.filter((name) => !Object.hasOwn(context.unusedAttrVals, name)),
    });
    return parsed;
  };
}

/** Everything that the result depends on: the expression, the attributes that its names stand for, and the types of its values. */
function keyOf(expression: string, { attrNames = {}, attrVals = {}, isKeyCondition = false }: Context): string {
  const types = Object.entries(attrVals).map(([name, value]) => [name, isJsonObject(value) ? Object.keys(value) : '']);
  return JSON.stringify([expression, isKeyCondition, attrNames, types]);
}

function recall({ parsed, usedNames, usedValues }: Kept, { unusedAttrNames, unusedAttrVals, attrVals = {} }: Context) {
  for (const name of usedNames) delete unusedAttrNames[name];
  for (const name of usedValues) delete unusedAttrVals[name];
  return withValues(parsed, attrVals);
}

/** A copy, because dynalite changes some parsed expressions. */
function withValues(part: Json, values: JsonObject): Json {
  if (Array.isArray(part)) return part.map((one) => withValues(one, values));
  if (!isJsonObject(part)) return part;
  if (part[NAME] !== undefined) return values[String(part[NAME])] as Json;
  const copy: JsonObject = {};
  for (const name of Object.keys(part)) copy[name] = withValues(part[name] as Json, values);
  return copy;
}
