import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, ListObjectsV2Command, NoSuchKey, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import type { AwsRequest, RequestFault } from '../index.ts';
import { startHandmade, table } from './cloudformation/handmade-assembly.ts';

const Resources = {
  Bucket: { Type: 'AWS::S3::Bucket', Properties: { BucketName: 'bucket' } },
  Table: table('table'),
};

/** More bytes than S3 keeps in memory. */
const LARGE = 100_000;

/** A table and a bucket, each with a value to put and to get. `fail` applies a fault to the next request, before or after it is carried out. */
async function start() {
  const seen: AwsRequest[] = [];
  let next: { fault: RequestFault; after: boolean } | undefined;
  const requestWrapper = async (request: AwsRequest, serve: () => Promise<void>) => {
    // Requests that create the stack do not count.
    if (request.accessKeyId === '') return undefined;
    seen.push(request);
    const due = next;
    next = undefined;
    if (due?.after) await serve();
    return due?.fault;
  };
  const { config } = await startHandmade({ Stack: { Resources } }, {}, { requestWrapper });
  const client = { ...config, credentials: { accessKeyId: 'people', secretAccessKey: 'people' }, maxAttempts: 1 };
  const fail = (fault: RequestFault, after: boolean) => {
    next = { fault, after };
  };
  return { seen, fail, DynamoDB: inTable(new DynamoDBClient(client)), S3: inBucket(new S3Client(client)) };
}

function inTable(dynamoDb: DynamoDBClient) {
  const [TableName, Key] = ['table', { id: { S: 'a' } }];
  return {
    put: (value: string) => dynamoDb.send(new PutItemCommand({ TableName, Item: { ...Key, value: { S: value } } })),
    get: async () => (await dynamoDb.send(new GetItemCommand({ TableName, Key }))).Item?.value?.S,
  };
}

function inBucket(s3: S3Client) {
  const place = { Bucket: 'bucket', Key: 'folder/a.txt' };
  const read = async () => (await s3.send(new GetObjectCommand(place))).Body?.transformToString();
  return {
    put: (value: string) => s3.send(new PutObjectCommand({ ...place, Body: value })),
    get: () =>
      read().catch((error) => {
        if (!(error instanceof NoSuchKey)) throw error;
      }),
    list: async () => (await s3.send(new ListObjectsV2Command({ Bucket: 'bucket' }))).Contents?.map(({ Key }) => Key),
  };
}

describe('a request wrapper', () => {
  it.each([
    ['DynamoDB', { status: 400, code: 'ProvisionedThroughputExceededException' }],
    ['DynamoDB', { status: 500, code: 'InternalServerError' }],
    ['DynamoDB', 'reset'],
    ['S3', { status: 503, code: 'SlowDown' }],
    ['S3', { status: 500, code: 'InternalError' }],
    ['S3', 'reset'],
  ] as const)('answers a request to %s with %j, before or after it is carried out', async (name, fault) => {
    const { fail, ...services } = await start();
    const { put, get } = services[name];
    const error =
      fault === 'reset' ? { code: 'ECONNRESET' } : { name: fault.code, $metadata: { httpStatusCode: fault.status } };
    fail(fault, false);
    await expect(put('one')).rejects.toMatchObject(error);
    expect(await get()).toBeUndefined();
    fail(fault, true);
    await expect(put('two')).rejects.toMatchObject(error);
    expect(await get()).toBe('two');
    for (const after of [false, true]) {
      fail(fault, after);
      await expect(get()).rejects.toMatchObject(error);
    }
    await put('three');
    expect(await get()).toBe('three');
  });

  it('carries out a large PUT, a large GET and a listing although their answers are lost', async () => {
    const { S3, fail } = await start();
    const slowDown = { status: 503, code: 'SlowDown' };
    fail(slowDown, false);
    await expect(S3.put('x'.repeat(LARGE))).rejects.toMatchObject({ name: 'SlowDown' });
    expect(await S3.list()).toBeUndefined();
    for (const ask of [() => S3.put('y'.repeat(LARGE)), S3.get, S3.list]) {
      fail(slowDown, true);
      await expect(ask()).rejects.toMatchObject({ name: 'SlowDown' });
    }
    expect(await S3.get()).toBe('y'.repeat(LARGE));
    expect(await S3.list()).toEqual(['folder/a.txt']);
  });

  it('gets the service, the operation, the path, the body and the access key of a request', async () => {
    const { DynamoDB, S3, seen } = await start();
    await DynamoDB.put('one');
    await S3.put('two');
    await S3.list();
    const body = JSON.stringify({ TableName: 'table', Item: { id: { S: 'a' }, value: { S: 'one' } } });
    const accessKeyId = 'people';
    expect(seen).toEqual([
      { service: 'DynamoDB_20120810', operation: 'PutItem', path: '/', accessKeyId, body },
      { service: 'S3', operation: 'PUT', path: '/bucket/folder/a.txt?x-id=PutObject', accessKeyId, body: '' },
      { service: 'S3', operation: 'GET', path: '/bucket/?list-type=2', accessKeyId, body: '' },
    ]);
  });
});
