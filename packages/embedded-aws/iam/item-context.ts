import { type Json, type JsonObject, objectOf } from '../protocol/operation.ts';
import type { RequestContext } from './policy.ts';

const EXPRESSIONS =
  'UpdateExpression ConditionExpression ProjectionExpression KeyConditionExpression FilterExpression'.split(' ');
/** Request parameters whose keys are attribute names. */
const BY_NAME = ['Key', 'Item', 'Expected', 'AttributeUpdates', 'KeyConditions', 'QueryFilter', 'ScanFilter'];
/** Keywords. An attribute with such a name needs a placeholder, so these words are never attributes. */
const WORDS = ['SET', 'REMOVE', 'ADD', 'DELETE', 'AND', 'OR', 'NOT', 'BETWEEN', 'IN'];

/**
 * The values of `dynamodb:LeadingKeys` and `dynamodb:Attributes` for a request about one partition: the partition key, and every
 * attribute that the request names, including keys and attributes in conditions (DynamoDB, "Using IAM policy conditions for fine-grained
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

/** The top-level attributes in an expression: `SET a.b = if_not_exists(#c, :d)` has `a` and the attribute that `#c` names. */
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
