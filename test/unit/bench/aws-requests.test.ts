import { expect, test } from 'vitest';
import { countedRequest, isDynamoDbRead, isDynamoDbWrite, isRecordOrTimeline } from '../../../bench/aws-requests.ts';
import type { AwsRequest } from '../../../packages/embedded-aws/index.ts';

function dynamoDb(operation: string, body: object): AwsRequest {
  const text = JSON.stringify(body);
  return { service: 'DynamoDB_20120810', operation, path: '/', body: text, accessKeyId: 'read-order' };
}

function counted(request: AwsRequest) {
  const one = countedRequest(request);
  if (!one) throw new Error('The request was not counted.');
  return one;
}

test('requests of the bench and of the embedded AWS itself are not counted', () => {
  const request = dynamoDb('GetItem', {});
  expect(countedRequest({ ...request, accessKeyId: 'bench' })).toBeUndefined();
  expect(countedRequest({ ...request, accessKeyId: '' })).toBeUndefined();
});

test.each([
  ['GetItem', { Key: { item: { S: 'order' } } }, true],
  ['PutItem', { Item: { item: { S: 'event#1' } } }, true],
  ['UpdateItem', { Key: { item: { S: 'operation#create' } } }, false],
  [
    'TransactWriteItems',
    {
      TransactItems: [
        { Put: { Item: { item: { S: 'order' } } } },
        { Put: { Item: { item: { S: 'operation#create' } } } },
      ],
    },
    false,
  ],
  [
    'Query',
    {
      KeyConditionExpression: 'orderRef = :record AND begins_with(#item, :prefix)',
      ExpressionAttributeValues: { ':record': { S: 'a' }, ':prefix': { S: 'event#' } },
    },
    true,
  ],
  [
    'Query',
    { KeyConditionExpression: 'orderRef = :record', ExpressionAttributeValues: { ':record': { S: 'a' } } },
    false,
  ],
])('a %s of %j concerns only the record or the timeline: %s', (operation, body, expected) => {
  expect(isRecordOrTimeline(counted(dynamoDb(operation, body)))).toBe(expected);
});

test('every DynamoDB operation counts as a read or a write', () => {
  const read = counted(dynamoDb('Query', {}));
  const write = counted(dynamoDb('TransactWriteItems', {}));
  expect([isDynamoDbRead(read), isDynamoDbWrite(read)]).toEqual([true, false]);
  expect([isDynamoDbRead(write), isDynamoDbWrite(write)]).toEqual([false, true]);
});

test.each([
  ['GET', '/bucket?list-type=2&prefix=orders', 'ListObjectsV2'],
  ['GET', '/bucket/key?versionId=1', 'GetObject'],
  ['HEAD', '/bucket/key', 'HeadObject'],
  ['PUT', '/bucket/key?partNumber=1&uploadId=2', 'UploadPart'],
  ['PUT', '/bucket/key?x-id=PutObject', 'PutObject'],
  ['POST', '/bucket/key?uploads', 'CreateMultipartUpload'],
])('%s %s is counted as %s', (operation, path, expected) => {
  const request = { service: 'S3', operation, path, body: '', accessKeyId: 'intake' };
  expect(counted(request).operation).toBe(expected);
});
