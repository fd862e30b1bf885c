import { CloudFormationClient, DescribeStacksCommand, ListStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient, DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { DynamoDBClient, GetItemCommand, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { KMSClient, SignCommand } from '@aws-sdk/client-kms';
import { GetObjectCommand, HeadObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ListExecutionsCommand, SFNClient } from '@aws-sdk/client-sfn';
import { GetQueueAttributesCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { AssumeRoleCommand, GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { casesOf, embedded, unjudged } from '../case.ts';

const STS = 'https://docs.aws.amazon.com/STS/latest/APIReference/API_{operation}.html';
const sts = casesOf(STSClient, STS);
const role = casesOf(STSClient, STS, ({ restrictedRole }) => ({ RoleArn: restrictedRole, RoleSessionName: 'conformance' }));
const stacks = casesOf(CloudFormationClient, 'https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_{operation}.html', ({ bus }) => ({ StackName: bus }));
const alarms = casesOf(CloudWatchClient, 'https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_{operation}.html');
const onAwsAlone = embedded('UnknownOperationException', 'CloudWatch evaluates alarms on AWS only.');

export const operations = {
  service: 'Operations',
  cases: [
    sts.answers('who calls', GetCallerIdentityCommand, {}, ({ Account, Arn = '' }) => Arn.includes(`:${Account}:`) && /^arn:aws:(iam|sts)::\d{12}:/.test(Arn), true),
    sts.answers('a role that was assumed', GetCallerIdentityCommand, {}, ({ Arn }) => Arn?.includes('estricted'), true, { restricted: true }),
    role.answers('a role that trusts the account', AssumeRoleCommand, {}, ({ AssumedRoleUser: user, Credentials: given }) => [user?.Arn?.endsWith('/conformance'), given?.AccessKeyId?.slice(0, 4)], [
      true,
      'ASIA',
    ]),
    role.refuses(
      'a role that trusts a service alone',
      AssumeRoleCommand,
      ({ restrictedRole, machineRole = '' }) => ({ RoleArn: restrictedRole?.replace(/[^/]+$/, machineRole) }),
      'AccessDenied',
      unjudged(),
    ),
    stacks.answers('a stack', DescribeStacksCommand, {}, ({ Stacks }) => Stacks?.[0]?.Outputs?.some(({ OutputKey }) => OutputKey === 'table'), true),
    stacks.refuses('a stack that does not exist', DescribeStacksCommand, { StackName: 'conformance-none' }, 'ValidationError'),
    stacks.answers(
      'a stack',
      ListStackResourcesCommand,
      {},
      ({ StackResourceSummaries: found = [] }) => found.find(({ LogicalResourceId: id }) => id === 'Table')?.ResourceType,
      'AWS::DynamoDB::Table',
    ),
    stacks.refuses('a stack that does not exist', ListStackResourcesCommand, { StackName: 'conformance-none' }, 'ValidationError'),
    alarms.answers('an alarm that does not exist', DescribeAlarmsCommand, { AlarmNames: ['conformance-none'] }, ({ MetricAlarms = [] }) => MetricAlarms, [], onAwsAlone),
  ],
};

const LOGIC = 'https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html';
const LEADING_KEYS = 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html';
const GET_OBJECT = 'https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html';
const restricted = { restricted: true };
const denied = { restricted: true, ...unjudged() };
/** A role and its policy take a moment until every service knows them. */
const soon = { restricted: true, eventually: true };
const table = casesOf(DynamoDBClient, LEADING_KEYS, ({ table }) => ({ TableName: table }));
const bucket = casesOf(S3Client, GET_OBJECT, ({ bucket }) => ({ Bucket: bucket }));
const queue = casesOf(SQSClient, LOGIC, ({ restrictedQueue }) => ({ QueueUrl: restrictedQueue }));
const key = (pk: string) => ({ Key: { pk: { S: pk }, sk: { S: 'a' } } });
const partition = (pk: string) => ({ KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': { S: pk } } });

export const iam = {
  service: 'IAM',
  cases: [
    table.answers('a leading key that the policy names', GetItemCommand, key('mine'), ({ Item }) => Item, undefined, soon),
    table.answers('a leading key that the policy names', QueryCommand, partition('mine'), ({ Items }) => Items, [], soon),
    table.refuses('another leading key', GetItemCommand, key('other'), 'AccessDeniedException', denied),
    table.refuses('another leading key', QueryCommand, partition('other'), 'AccessDeniedException', denied),
    table.refuses('an action that the policy does not name', PutItemCommand, { Item: key('mine').Key }, 'AccessDeniedException', denied),
    bucket.accepts('an object that the policy names', PutObjectCommand, { Key: 'allowed/a', Body: 'a' }),
    bucket.answers('an object that the policy names', GetObjectCommand, { Key: 'allowed/a' }, ({ ContentLength }) => ContentLength, 1, soon),
    bucket.refuses('another object', GetObjectCommand, { Key: 'other/a' }, 'AccessDenied', { ...restricted, ...unjudged('NoSuchKey') }),
    bucket.refuses('a missing object, without the right to list', GetObjectCommand, { Key: 'allowed/none' }, 'AccessDenied', { ...restricted, ...unjudged('NoSuchKey') }),
    bucket.accepts('an object under a key that the policy does not name', PutObjectCommand, ({ dataKey }) => ({
      Key: 'allowed/key',
      Body: 'a',
      ServerSideEncryption: 'aws:kms' as const,
      SSEKMSKeyId: dataKey,
    })),
    bucket.refuses('an object under a key that the policy does not name', GetObjectCommand, { Key: 'allowed/key' }, 'AccessDenied', denied),
    bucket.answers('an object under a key that the policy does not name', HeadObjectCommand, { Key: 'allowed/key' }, ({ ContentLength }) => ContentLength, 1, restricted),
    bucket.refuses('without the right to list', ListObjectsV2Command, {}, 'AccessDenied', denied),
    queue.answers('a queue that the policy names', GetQueueAttributesCommand, { AttributeNames: ['VisibilityTimeout'] }, ({ Attributes }) => Attributes, { VisibilityTimeout: '60' }, soon),
    queue.refuses('an action that the policy denies', SendMessageCommand, { MessageBody: 'x' }, 'AccessDeniedException', denied),
    queue.refuses('an action that the permissions boundary leaves out', ReceiveMessageCommand, {}, 'AccessDeniedException', denied),
    queue.refuses('another queue', GetQueueAttributesCommand, ({ tokenQueue }) => ({ QueueUrl: tokenQueue }), 'AccessDeniedException', denied),
    casesOf(SecretsManagerClient, LOGIC).refuses('a secret', GetSecretValueCommand, ({ secret }) => ({ SecretId: secret }), 'AccessDeniedException', denied),
    casesOf(KMSClient, LOGIC).refuses('a key', SignCommand, ({ ecKey }) => ({ KeyId: ecKey, Message: Buffer.from('x'), SigningAlgorithm: 'ECDSA_SHA_256' as const }), 'AccessDeniedException', denied),
    casesOf(SFNClient, LOGIC).refuses('a state machine', ListExecutionsCommand, ({ machine }) => ({ stateMachineArn: machine }), 'AccessDeniedException', denied),
    casesOf(EventBridgeClient, LOGIC).refuses(
      'a bus',
      PutEventsCommand,
      ({ bus }) => ({ Entries: [{ EventBusName: bus, Source: 'x', DetailType: 'x', Detail: '{}' }] }),
      'AccessDeniedException',
      denied,
    ),
  ],
};
