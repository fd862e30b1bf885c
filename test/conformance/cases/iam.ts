import { DynamoDBClient, GetItemCommand, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { KMSClient, SignCommand } from '@aws-sdk/client-kms';
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ListExecutionsCommand, SFNClient } from '@aws-sdk/client-sfn';
import { GetQueueAttributesCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { casesOf, moto, unjudged } from '../case.ts';

const LOGIC = 'https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html';
const LEADING_KEYS = 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html';
const GET_OBJECT = 'https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html';
const restricted = { restricted: true };
/** A role and its policy take a moment until every service knows them. */
const soon = { restricted: true, eventually: true };
const table = casesOf(DynamoDBClient, LEADING_KEYS, ({ table }) => ({ TableName: table }));
const bucket = casesOf(S3Client, GET_OBJECT, ({ bucket }) => ({ Bucket: bucket }));
const queue = casesOf(SQSClient, LOGIC, ({ queue }) => ({ QueueUrl: queue }));
const key = (pk: string) => ({ Key: { pk: { S: pk }, sk: { S: 'a' } } });
const partition = (pk: string) => ({
  KeyConditionExpression: 'pk = :pk',
  ExpressionAttributeValues: { ':pk': { S: pk } },
});

export const iam = {
  service: 'IAM',
  cases: [
    table.answers('a leading key that the policy names', GetItemCommand, key('mine'), ({ Item }) => Item, undefined, soon),
    table.answers('a leading key that the policy names', QueryCommand, partition('mine'), ({ Items }) => Items, [], soon),
    table.refuses('another leading key', GetItemCommand, key('other'), 'AccessDeniedException', { ...restricted, ...unjudged }),
    table.refuses('another leading key', QueryCommand, partition('other'), 'AccessDeniedException', { ...restricted, ...unjudged }),
    table.refuses('an action that the policy does not name', PutItemCommand, { Item: key('mine').Key }, 'AccessDeniedException', { ...restricted, ...unjudged }),
    bucket.answers('an object that the policy names', PutObjectCommand, { Key: 'allowed/a', Body: 'a' }, () => 'stored', 'stored'),
    bucket.answers('an object that the policy names', GetObjectCommand, { Key: 'allowed/a' }, ({ ContentLength }) => ContentLength, 1, soon),
    bucket.refuses('another object', GetObjectCommand, { Key: 'other/a' }, 'AccessDenied', { ...restricted, ...moto('NoSuchKey', unjudged.differs.moto?.why ?? '') }),
    bucket.refuses('a missing object, without the right to list', GetObjectCommand, { Key: 'allowed/none' }, 'AccessDenied', { ...restricted, ...moto('NoSuchKey', unjudged.differs.moto?.why ?? '') }),
    bucket.refuses('without the right to list', ListObjectsV2Command, {}, 'AccessDenied', { ...restricted, ...unjudged }),
    queue.answers('a queue that the policy names', GetQueueAttributesCommand, { AttributeNames: ['VisibilityTimeout'] }, ({ Attributes }) => Attributes, { VisibilityTimeout: '60' }, soon),
    queue.refuses('an action that the policy denies', SendMessageCommand, { MessageBody: 'x' }, 'AccessDeniedException', { ...restricted, ...unjudged }),
    queue.refuses('an action that the permissions boundary leaves out', ReceiveMessageCommand, {}, 'AccessDeniedException', { ...restricted, ...unjudged }),
    queue.refuses('another queue', GetQueueAttributesCommand, ({ tokenQueue }) => ({ QueueUrl: tokenQueue }), 'AccessDeniedException', { ...restricted, ...unjudged }),
    casesOf(SecretsManagerClient, LOGIC).refuses('a secret', GetSecretValueCommand, ({ secret }) => ({ SecretId: secret }), 'AccessDeniedException', { ...restricted, ...unjudged }),
    casesOf(KMSClient, LOGIC).refuses('a key', SignCommand, ({ ecKey }) => ({ KeyId: ecKey, Message: Buffer.from('x'), SigningAlgorithm: 'ECDSA_SHA_256' as const }), 'AccessDeniedException', {
      ...restricted,
      ...unjudged,
    }),
    casesOf(SFNClient, LOGIC).refuses('a state machine', ListExecutionsCommand, ({ machine }) => ({ stateMachineArn: machine }), 'AccessDeniedException', { ...restricted, ...unjudged }),
    casesOf(EventBridgeClient, LOGIC).refuses('a bus', PutEventsCommand, ({ bus }) => ({ Entries: [{ EventBusName: bus, Source: 'x', DetailType: 'x', Detail: '{}' }] }), 'AccessDeniedException', {
      ...restricted,
      ...unjudged,
    }),
  ],
};
