import { arn } from '../account.ts';
import { compileSendPolicy } from '../events/send-policy.ts';
import { createEventSourceMapping } from '../lambda/event-source.ts';
import { Queue, type QueueSettings } from '../sqs/queue.ts';
import { numberProperty, objectProperty, type Resource, textsProperty, unsupported } from './properties.ts';
import type { ProvisionedResource } from './stack.ts';

const FOUR_DAYS = 345_600;

export function createQueue(resource: Resource): ProvisionedResource {
  const { account, services, properties, name } = resource;
  const redrive = redriveOf(resource);
  const queue = new Queue({
    name,
    arn: arn(account, 'sqs', name),
    visibilityTimeoutSeconds: numberProperty(properties, 'VisibilityTimeout', 30),
    retentionSeconds: numberProperty(properties, 'MessageRetentionPeriod', FOUR_DAYS),
    clock: services.clock,
    ...(redrive && { redrive }),
  });
  services.sqs.add(queue);
  services.encryptionKeys.encrypt(queue.arn, properties.KmsMasterKeyId);
  const url = services.sqs.url(queue);
  return { ref: url, attributes: { Arn: queue.arn, QueueName: name, QueueUrl: url } };
}

function redriveOf(resource: Resource): QueueSettings['redrive'] {
  const { RedrivePolicy: given } = resource.properties;
  if (given === undefined) return undefined;
  const policy = objectProperty(resource.properties, 'RedrivePolicy');
  const to = resource.services.sqs.byArn(String(policy.deadLetterTargetArn));
  if (!to) throw unsupported(resource, 'has a dead-letter queue that is not a queue of these stacks.');
  return { to, maxReceiveCount: numberProperty(policy, 'maxReceiveCount', 10) };
}

export function createQueuePolicy(resource: Resource): ProvisionedResource {
  const { services, properties, name } = resource;
  const { sqs } = services;
  const policy = objectProperty(properties, 'PolicyDocument');
  const maySend = compileSendPolicy('sqs:SendMessage', policy, (problem) => unsupported(resource, problem));
  for (const url of textsProperty(properties, 'Queues')) {
    const queue = sqs.byUrl(url);
    if (!queue) throw unsupported(resource, `is for ${url}, which is not a queue of these stacks.`);
    sqs.setPolicy(queue, maySend);
  }
  return { ref: name, attributes: { Id: name } };
}

const [MOST_MESSAGES, MOST_CONCURRENCY] = [10, 1_000];

export function createEventSource(resource: Resource): ProvisionedResource {
  const { account, services, properties, name, startup } = resource;
  const queue = services.sqs.byArn(String(properties.EventSourceArn));
  if (!queue) throw unsupported(resource, 'has an event source that is not a queue of these stacks.');
  const { functionName, timeout } = services.lambda.find(String(properties.FunctionName)).facts;
  if (queue.settings.visibilityTimeoutSeconds < timeout) {
    throw unsupported(resource, `has a queue whose visibility timeout is shorter than the timeout of ${functionName}.`);
  }
  const scaling = objectProperty(properties, 'ScalingConfig');
  const source = createEventSourceMapping({
    queue,
    target: () => services.lambda.find(functionName),
    batchSize: numberProperty(properties, 'BatchSize', MOST_MESSAGES),
    maximumConcurrency: numberProperty(scaling, 'MaximumConcurrency', MOST_CONCURRENCY),
    reportsFailures: textsProperty(properties, 'FunctionResponseTypes').includes('ReportBatchItemFailures'),
    region: account.region,
    clock: services.clock,
    activity: services.activity,
  });
  if (properties.Enabled !== false) {
    // Runs after the function has assumed its role.
    startup.push(async () => {
      refuseWithoutRights(resource, functionName, queue);
      services.lambda.addEventSource(source);
    });
  }
  return { ref: name, attributes: { Id: name } };
}

/** Lambda reads the queue with the permissions of the function's role. */
function refuseWithoutRights(resource: Resource, functionName: string, queue: Queue): void {
  const { services } = resource;
  const rights = ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'].map((operation) => ({
    action: `sqs:${operation}`,
    resource: queue.arn,
  }));
  const denial = services.iam.denial(functionName, services.encryptionKeys.withKeyRights(rights));
  if (denial !== undefined) throw unsupported(resource, `cannot read its queue. ${denial}`);
}
