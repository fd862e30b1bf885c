import { isJsonObject, type Json, type JsonObject } from '../protocol/operation.ts';
import type { RequestContext } from './policy.ts';

const EXPRESSIONS =
  'UpdateExpression ConditionExpression ProjectionExpression KeyConditionExpression FilterExpression'.split(' ');
/** The request's parameters whose keys are names of attributes. */
const BY_NAME = ['Key', 'Item', 'Expected', 'AttributeUpdates', 'KeyConditions', 'QueryFilter', 'ScanFilter'];
/** An attribute of such a name needs a placeholder. */
const WORDS = ['SET', 'REMOVE', 'ADD', 'DELETE', 'AND', 'OR', 'NOT', 'BETWEEN', 'IN'];

/**
 * The condition keys of a request for an item of a table, or for several of one partition: the partition key, and every attribute that
 * is written, read by its name or looked at in a condition, keys included (DynamoDB, "Using IAM policy conditions for fine-grained
 * access control").
 */
export function itemContext(input: JsonObject, partitionKey = ''): RequestContext {
  const byName = BY_NAME.flatMap((member) => Object.keys(objectOf(input[member])));
  const inExpressions = EXPRESSIONS.flatMap((member) => namesIn(input[member], input));
  const listed = [input.AttributesToGet ?? []].flat().map(String);
  const leading = textOf(objectOf(input.Key ?? input.Item)[partitionKey]) ?? queried(input, partitionKey);
  return {
    'dynamodb:LeadingKeys': leading === undefined ? [] : [leading],
    'dynamodb:Attributes': [...new Set([...byName, ...inExpressions, ...listed])],
  };
}

/** The attributes of an expression: `SET a.b = if_not_exists(#c, :d)` has `a` and what `#c` stands for. */
function namesIn(expression: Json | undefined, input: JsonObject): string[] {
  if (typeof expression !== 'string') return [];
  const bare = expression.replace(/:\w+|\.\s*#?\w+|\w+\s*\(/g, ' ');
  const names = bare.match(/#\w+|[A-Za-z_]\w*/g) ?? [];
  return names.filter((name) => !WORDS.includes(name.toUpperCase())).map((name) => nameOf(name, input));
}

function queried(input: JsonObject, partitionKey: string): string | undefined {
  const { KeyConditionExpression: condition = '', ExpressionAttributeValues: values } = input;
  const equals = [...String(condition).matchAll(/(#?\w+)\s*=\s*(:\w+)/g)];
  const [, , value = ''] = equals.find(([, name = '']) => nameOf(name, input) === partitionKey) ?? [];
  return textOf(objectOf(values)[value]);
}

function nameOf(name: string, { ExpressionAttributeNames: placeholders }: JsonObject): string {
  return String(objectOf(placeholders)[name] ?? name);
}

function textOf(value: Json | undefined): string | undefined {
  const { S: text } = objectOf(value);
  return typeof text === 'string' ? text : undefined;
}

const objectOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});
