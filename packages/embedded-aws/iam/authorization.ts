import { arn } from '../account.ts';
import { requestsOf } from '../dynamodb/key-values.ts';
import type { Call } from '../protocol/call.ts';
import { AwsError, isJsonObject, type JsonObject } from '../protocol/operation.ts';
import type { Services } from '../services.ts';
import { itemContext } from './item-context.ts';
import type { NeededRight } from './policy.ts';
import { rightsOfS3Request } from './s3-rights.ts';

/** Throws an AwsError unless the caller's policies allow the call. Only functions and people are restricted. */
export function authorize(services: Services, call: Call): void {
  const { accessKeyId, protocol } = call;
  if (services.iam.restricts(accessKeyId)) checkRights(services, accessKeyId, rightsOf(call, services), protocol);
}

export function checkRights(
  { encryptionKeys, iam }: Services,
  accessKeyId: string,
  needed: NeededRight[],
  protocol: Call['protocol'],
): void {
  if (!iam.restricts(accessKeyId)) return;
  const message = iam.denial(accessKeyId, encryptionKeys.withKeyRights(needed));
  if (message === undefined) return;
  if (protocol === 's3' || protocol === 'query') throw new AwsError('AccessDenied', message, 403);
  throw new AwsError('AccessDeniedException', message);
}

type Needed = Omit<NeededRight, 'action'> & { action?: string };

/** The permissions that the operations of each service need. Without an `action`, it is that of the operation. */
const NEEDED: Record<string, (input: JsonObject, services: Services, operation: string) => Needed[]> = {
  dynamodb: (input, services) =>
    requestsOf(input).map((one) => ({
      resource: tableOrIndex(one, services),
      context: itemContext(one, services.dynamoDb.partitionKeyOf(one)),
    })),
  states: (input) => [{ resource: machineOrExecution(input) }],
  secretsmanager: ({ SecretId: id }, { secretsManager }) => [
    { resource: secretsManager.arnOf(String(id)) ?? String(id) },
  ],
  kms: ({ KeyId: id }, { kms }) => [{ resource: kms.arnOf(String(id)) ?? String(id) }],
  sqs: (input, services, operation) => [{ resource: queueOf(input, services) }, ...movedBy(operation, input)],
  events: (input, services) => busesOf(input, services),
  cloudformation: ({ StackName: name }, { cloudFormation }) => [{ resource: cloudFormation.arnOf(name) }],
};

/**
 * The permissions that a call needs. A call that is not listed above needs permission for every resource (`*`), so it is refused rather than
 * allowed by mistake. Throws an AwsError if the call cannot be parsed.
 */
function rightsOf(call: Call, services: Services): NeededRight[] {
  const { service, operation, input, request } = call;
  if (service === 's3') return rightsOfS3Request(services.s3, request);
  // GetCallerIdentity needs no permission.
  if (service === 'sts' && operation === 'GetCallerIdentity') return [];
  const usual = `${service}:${operation.replace(/Batch$/, '')}`;
  const needed = NEEDED[service]?.(input, services, operation) ?? [];
  return (needed.length > 0 ? needed : [{ resource: '*' }]).map((one) => ({ action: usual, ...one }));
}

function tableOrIndex({ TableName: table, IndexName: index }: JsonObject, { account }: Services): string {
  if (typeof table !== 'string') return '*';
  const tableArn = table.startsWith('arn:') ? table : arn(account, 'dynamodb', `table/${table}`);
  return index === undefined ? tableArn : `${tableArn}/index/${String(index)}`;
}

function queueOf({ QueueUrl: url, SourceArn: arnOfQueue }: JsonObject, { sqs }: Services): string {
  return typeof arnOfQueue === 'string' ? arnOfQueue : (sqs.byUrl(String(url))?.arn ?? '*');
}

/** SQS moves messages with the permissions of the caller that starts the task. */
function movedBy(operation: string, input: JsonObject): Needed[] {
  if (operation !== 'StartMessageMoveTask') return [];
  const source = String(input.SourceArn);
  return [
    { action: 'sqs:ReceiveMessage', resource: source },
    { action: 'sqs:DeleteMessage', resource: source },
    { action: 'sqs:GetQueueAttributes', resource: source },
    { action: 'sqs:SendMessage', resource: String(input.DestinationArn) },
  ];
}

function machineOrExecution(input: JsonObject): string | undefined {
  // A task token does not name its state machine.
  if (input.taskToken !== undefined) return undefined;
  return String(input.stateMachineArn ?? input.executionArn ?? '*');
}

/** One permission for each bus. `events:source` has the sources of all entries, because PutEvents is allowed or refused as a whole. */
function busesOf({ Entries: given }: JsonObject, { account }: Services): Needed[] {
  const entries = Array.isArray(given) ? given.filter(isJsonObject) : [];
  const context = { 'events:source': entries.flatMap(({ Source: source }) => source ?? []).map(String) };
  const buses = new Set(entries.map(({ EventBusName: name }) => String(name ?? 'default')));
  return [...buses].map((bus) => ({
    resource: bus.startsWith('arn:') ? bus : arn(account, 'events', `event-bus/${bus}`),
    context,
  }));
}
