import { arn } from '../account.ts';
import { compileSendPolicy } from '../events/send-policy.ts';
import { EventSource } from '../lambda/event-source.ts';
import type { Json } from '../protocol/json.ts';
import { Queue, type QueueSettings } from '../sqs/queue.ts';
import { checkedProperties, numberProperty, objectProperty, physicalName, unsupported } from './properties.ts';
import type { Provisioning } from './provisioning.ts';
import type { ProvisionedResource, ResourceDeclaration } from './stack.ts';

const FOUR_DAYS = 345_600;

export function provisionQueue(declaration: ResourceDeclaration, provisioning: Provisioning): ProvisionedResource {
  const properties = checkedProperties(
    declaration,
    ['QueueName', 'VisibilityTimeout', 'DelaySeconds', 'MessageRetentionPeriod', 'RedrivePolicy', 'KmsMasterKeyId'],
    [
      'KmsDataKeyReusePeriodSeconds',
      'SqsManagedSseEnabled',
      'Tags',
      'ReceiveMessageWaitTimeSeconds',
      'MaximumMessageSize',
    ],
  );
  const { account, services } = provisioning;
  const name = physicalName(declaration, properties.QueueName, 80);
  const redrive = redriveOf(declaration, provisioning);
  const queue = new Queue({
    name,
    arn: arn(account, 'sqs', name),
    visibilityTimeoutSeconds: numberProperty(properties, 'VisibilityTimeout', 30),
    delaySeconds: numberProperty(properties, 'DelaySeconds', 0),
    retentionSeconds: numberProperty(properties, 'MessageRetentionPeriod', FOUR_DAYS),
    clock: services.clock,
    ...(redrive && { redrive }),
  });
  services.sqs.add(queue);
  services.encryptionKeys.encrypt(queue.arn, properties.KmsMasterKeyId);
  const url = services.sqs.url(queue);
  return { ref: url, attributes: { Arn: queue.arn, QueueName: name, QueueUrl: url } };
}

function redriveOf(declaration: ResourceDeclaration, provisioning: Provisioning): QueueSettings['redrive'] {
  const { RedrivePolicy: given } = declaration.properties;
  if (given === undefined) return undefined;
  const policy = objectProperty(declaration.properties, 'RedrivePolicy');
  const to = provisioning.services.sqs.byArn(String(policy.deadLetterTargetArn));
  if (!to) throw unsupported(declaration, 'has a dead-letter queue that is not a queue of these stacks.');
  return { to, maxReceiveCount: numberProperty(policy, 'maxReceiveCount', 10) };
}

export function provisionQueuePolicy(
  declaration: ResourceDeclaration,
  provisioning: Provisioning,
): ProvisionedResource {
  const { Queues: queues } = checkedProperties(declaration, ['Queues', 'PolicyDocument'], []);
  const { sqs } = provisioning.services;
  const policy = objectProperty(declaration.properties, 'PolicyDocument');
  const maySend = compileSendPolicy('sqs:SendMessage', policy, (problem) => unsupported(declaration, problem));
  for (const url of Array.isArray(queues) ? queues : []) {
    const queue = sqs.byUrl(String(url));
    if (!queue) throw unsupported(declaration, `is for ${String(url)}, which is not a queue of these stacks.`);
    sqs.setPolicy(queue, maySend);
  }
  const name = physicalName(declaration, undefined);
  return { ref: name, attributes: { Id: name } };
}

/** The most messages that SQS gives at once, and the limits of Lambda's maximum concurrency. */
const MOST_MESSAGES = 10;
const [LEAST_CONCURRENCY, MOST_CONCURRENCY] = [2, 1_000];

export function provisionEventSource(
  declaration: ResourceDeclaration,
  provisioning: Provisioning,
): ProvisionedResource {
  const properties = checkedProperties(
    declaration,
    ['EventSourceArn', 'FunctionName', 'BatchSize', 'FunctionResponseTypes', 'ScalingConfig', 'Enabled'],
    ['Tags', 'MetricsConfig'],
  );
  const { services, account } = provisioning;
  const queue = services.sqs.byArn(String(properties.EventSourceArn));
  if (!queue) throw unsupported(declaration, 'has an event source that is not a queue of these stacks.');
  const target = services.lambda.find(String(properties.FunctionName));
  if (queue.settings.visibilityTimeoutSeconds < target.timeoutSeconds) {
    throw unsupported(
      declaration,
      `has a queue whose visibility timeout is shorter than the timeout of ${target.name}.`,
    );
  }
  const source = new EventSource({
    queue,
    target,
    batchSize: batchSizeOf(declaration),
    maximumConcurrency: concurrencyOf(declaration),
    reportsFailures: reportsFailures(properties.FunctionResponseTypes),
    region: account.region,
    clock: services.clock,
    activity: services.activity,
  });
  if (properties.Enabled !== false) {
    // Runs after the function has assumed its role.
    provisioning.startup.push(async () => {
      refuseWithoutRights(declaration, provisioning, target.name, queue);
      services.lambda.addEventSource(source);
    });
  }
  const name = physicalName(declaration, undefined);
  return { ref: name, attributes: { Id: name } };
}

function batchSizeOf(declaration: ResourceDeclaration): number {
  const size = numberProperty(declaration.properties, 'BatchSize', MOST_MESSAGES);
  if (size >= 1 && size <= MOST_MESSAGES) return size;
  throw unsupported(declaration, `has a BatchSize of ${size}; 1 to ${MOST_MESSAGES} are supported.`);
}

function concurrencyOf(declaration: ResourceDeclaration): number {
  const scaling = objectProperty(declaration.properties, 'ScalingConfig');
  const most = numberProperty(scaling, 'MaximumConcurrency', MOST_CONCURRENCY);
  if (most >= LEAST_CONCURRENCY && most <= MOST_CONCURRENCY) return most;
  throw unsupported(
    declaration,
    `has a MaximumConcurrency of ${most}; Lambda accepts ${LEAST_CONCURRENCY} to ${MOST_CONCURRENCY}.`,
  );
}

function reportsFailures(types: Json | undefined): boolean {
  return Array.isArray(types) && types.includes('ReportBatchItemFailures');
}

/** Lambda reads the queue with the rights of the function. */
function refuseWithoutRights(
  declaration: ResourceDeclaration,
  { services }: Provisioning,
  functionName: string,
  queue: Queue,
): void {
  const rights = ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'].map((operation) => ({
    action: `sqs:${operation}`,
    resource: queue.arn,
  }));
  const denial = services.iam.denial(functionName, services.encryptionKeys.withKeyRights(rights));
  if (denial !== undefined) throw unsupported(declaration, `cannot read its queue. ${denial}`);
}
