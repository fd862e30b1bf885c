import { Match } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import sample from '../../functions/sweep-orders/event.json' with { type: 'json' };
import { templateOf } from '../helpers/template.ts';

const prod = templateOf('prod');

const queueOf = (name: string, kind: 'events' | 'dead-letters') => {
  const found = prod.findResources('AWS::SQS::Queue', {
    Properties: { QueueName: `loan-orders-prod-${name}-${kind}` },
  });
  const [[id = '', { Properties = {} } = {}] = []] = Object.entries(found);
  return { arn: { 'Fn::GetAtt': [id, 'Arn'] }, properties: Properties, id };
};
const QUEUED = ['check-package', 'receive-upload', 'record-end'];

test.each(QUEUED)(
  'events reach %s through a queue that tries for more than a day before its dead-letter queue',
  (name) => {
    const { arn, properties } = queueOf(name, 'events');
    const letters = queueOf(name, 'dead-letters');
    const { VisibilityTimeout: visibility, RedrivePolicy: redrive } = properties;
    expect(redrive.deadLetterTargetArn).toEqual(letters.arn);
    const [target] = Object.values(
      prod.findResources('AWS::Lambda::Function', { Properties: { FunctionName: `loan-orders-prod-${name}` } }),
    );
    expect(visibility).toBe(6 * target?.Properties.Timeout);
    expect(visibility * redrive.maxReceiveCount).toBeGreaterThan(24 * 3_600);
    for (const queue of [properties, letters.properties]) expect(queue.MessageRetentionPeriod).toBe(14 * 86_400);
    prod.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      EventSourceArn: arn,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: 10 },
    });
    prod.hasResourceProperties('AWS::Events::Rule', {
      Targets: [Match.objectLike({ Arn: arn, DeadLetterConfig: { Arn: letters.arn }, RetryPolicy: Match.anyValue() })],
    });
  },
);

test.each(QUEUED.flatMap((name) => [[name, 'events'] as const, [name, 'dead-letters'] as const]))(
  'only its rule may send to the queue of %s for %s, and only with TLS',
  (name, kind) => {
    const { id, arn } = queueOf(name, kind);
    const policies = Object.values(
      prod.findResources('AWS::SQS::QueuePolicy', { Properties: { Queues: [{ Ref: id }] } }),
    );
    const [rule] = Object.entries(prod.findResources('AWS::Events::Rule')).filter(([, { Properties }]) =>
      JSON.stringify(Properties.Targets).includes(id),
    );
    expect(policies.map(({ Properties }) => Properties.PolicyDocument.Statement)).toEqual([
      [
        expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
        {
          Effect: 'Allow',
          Principal: { Service: 'events.amazonaws.com' },
          Action: 'sqs:SendMessage',
          Resource: arn,
          Condition: { ArnEquals: { 'aws:SourceArn': { 'Fn::GetAtt': [rule?.[0], 'Arn'] } } },
        },
      ],
    ]);
    const mayBeSentTo = (policy: string) => policy.includes('sqs:SendMessage') && policy.includes(JSON.stringify(arn));
    const statements = Object.values(prod.findResources('AWS::IAM::Policy')).flatMap(
      ({ Properties }) => Properties.PolicyDocument.Statement as object[],
    );
    expect(statements.map((one) => JSON.stringify(one)).filter(mayBeSentTo)).toEqual([]);
  },
);

test('only the sweep is invoked asynchronously, and its failures go to the dead-letter queue of the stage', () => {
  prod.resourceCountIs('AWS::SQS::Queue', 7);
  prod.resourceCountIs('AWS::Lambda::EventInvokeConfig', 1);
  prod.allResourcesProperties('AWS::Lambda::EventInvokeConfig', { DestinationConfig: { OnFailure: Match.anyValue() } });
  prod.resourceCountIs('AWS::Events::Rule', 3);
});

test('the sweep runs at the rate of the stage with the input of its sample, and the scheduler may invoke nothing else', () => {
  prod.hasResourceProperties('AWS::Scheduler::Schedule', {
    Name: 'loan-orders-prod-sweep',
    ScheduleExpression: 'rate(5 minutes)',
    Target: {
      Input: JSON.stringify(sample),
      RetryPolicy: { MaximumEventAgeInSeconds: 300 },
      DeadLetterConfig: Match.anyValue(),
    },
  });
  prod.hasResourceProperties('AWS::IAM::Policy', {
    PolicyDocument: {
      Statement: [
        { Action: 'lambda:InvokeFunction', Resource: { 'Fn::GetAtt': [Match.stringLikeRegexp('Sweep'), 'Arn'] } },
        { Action: 'sqs:SendMessage' },
      ],
    },
  });
});
