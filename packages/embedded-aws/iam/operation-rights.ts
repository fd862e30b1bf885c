import { arn } from '../account.ts';
import { groupsOf } from '../logs/service.ts';
import { isJsonObject, type JsonObject } from '../protocol/json.ts';
import type { Services } from '../services.ts';
import { itemContext } from './item-context.ts';
import type { NeededRight } from './policy.ts';

type Rights = (operation: string, input: JsonObject, services: Services) => NeededRight[];

/** The JSON services that functions call. */
const RIGHTS: Record<string, Rights> = {
  DynamoDB_20120810: (operation, input, services) =>
    requestsOf(input).map((one) => ({
      action: `dynamodb:${operation}`,
      resource: tableOrIndex(one, services),
      context: itemContext(one, services.dynamoDb.partitionKeyOf(one)),
    })),
  AWSStepFunctions: (operation, input) => [{ action: `states:${operation}`, resource: machineOrExecution(input) }],
  secretsmanager: (operation, { SecretId: id }, services) => [
    { action: `secretsmanager:${operation}`, resource: services.secretsManager.arnOf(String(id)) ?? String(id) },
  ],
  TrentService: (operation, { KeyId: id }, services) => [
    { action: `kms:${operation}`, resource: services.kms.arnOf(String(id)) ?? String(id) },
  ],
  AmazonSQS: (operation, input, services) => [
    { action: `sqs:${operation.replace(/Batch$/, '')}`, resource: queueOf(input, services) },
    ...movedBy(operation, input, services),
  ],
  // Neither GetQueryResults nor its answer names a log group: the right to it can only be given for all.
  Logs_20140328: (operation, input, { account }) =>
    operation === 'StartQuery'
      ? groupsOf(input).map((group) => ({
          action: 'logs:StartQuery',
          resource: arn(account, 'logs', `log-group:${group}`),
        }))
      : [{ action: `logs:${operation}`, resource: '*' }],
  AWSEvents: (operation, input, services) => eventRights(operation, entriesOf(input), services),
};

/**
 * The rights that an operation of a JSON service needs; `target` is its X-Amz-Target. An operation that is not listed needs a right
 * on every resource, so that it is refused rather than allowed by mistake.
 */
export function rightsOfOperation(services: Services, target: string, input: JsonObject): NeededRight[] {
  const [prefix = '', operation = ''] = target.split('.');
  const rights = Object.hasOwn(RIGHTS, prefix) ? RIGHTS[prefix] : undefined;
  return rights?.(operation, input, services) ?? [{ action: `${prefix}:${operation}`, resource: '*' }];
}

/** The requests of a batch, one for each key of each table; or the request itself. */
function requestsOf(input: JsonObject): JsonObject[] {
  const { RequestItems: batch } = input;
  if (!isJsonObject(batch)) return [input];
  return Object.entries(batch).flatMap(([TableName, items]) => {
    const keys = isJsonObject(items) && Array.isArray(items.Keys) ? items.Keys : [null];
    return keys.map((Key) => ({ TableName, Key }));
  });
}

function tableOrIndex({ TableName: table, IndexName: index }: JsonObject, { account }: Services): string {
  if (typeof table !== 'string') return '*';
  const tableArn = table.startsWith('arn:') ? table : arn(account, 'dynamodb', `table/${table}`);
  return index === undefined ? tableArn : `${tableArn}/index/${String(index)}`;
}

function queueOf({ QueueUrl: url, SourceArn: arnOfQueue }: JsonObject, { sqs }: Services): string {
  return typeof arnOfQueue === 'string' ? arnOfQueue : (sqs.byUrl(String(url))?.arn ?? '*');
}

/** SQS moves messages with the rights of whoever starts the task. */
function movedBy(operation: string, input: JsonObject, { sqs }: Services): NeededRight[] {
  if (operation !== 'StartMessageMoveTask') return [];
  const source = String(input.SourceArn);
  const destinations = typeof input.DestinationArn === 'string' ? [input.DestinationArn] : sqs.sourcesOf(source);
  return [
    { action: 'sqs:ReceiveMessage', resource: source },
    { action: 'sqs:DeleteMessage', resource: source },
    { action: 'sqs:GetQueueAttributes', resource: source },
    ...destinations.map((resource) => ({ action: 'sqs:SendMessage', resource })),
  ];
}

function machineOrExecution(input: JsonObject): string | undefined {
  // A token does not show its state machine.
  if (input.taskToken !== undefined) return undefined;
  return String(input.stateMachineArn ?? input.executionArn ?? '*');
}

function entriesOf({ Entries: entries }: JsonObject): JsonObject[] {
  return Array.isArray(entries) ? entries.filter(isJsonObject) : [];
}

/** One right for each bus. The sources of all entries are the values of one key: PutEvents is allowed or refused as a whole. */
function eventRights(operation: string, entries: JsonObject[], { account }: Services): NeededRight[] {
  const context = { 'events:source': entries.flatMap(({ Source: source }) => source ?? []).map(String) };
  const buses = new Set(entries.map(({ EventBusName: name }) => String(name ?? 'default')));
  return [...buses].map((bus) => ({
    action: `events:${operation}`,
    resource: bus.startsWith('arn:') ? bus : arn(account, 'events', `event-bus/${bus}`),
    context,
  }));
}
