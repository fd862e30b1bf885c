import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, ListObjectsV2Command, NoSuchKey, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { describe, expect, it } from 'vitest';
import type { AwsRequest, RequestFault } from '../index.ts';
import { startHandmade } from './cloudformation/handmade-assembly.ts';

const Resources = {
  Bucket: { Type: 'AWS::S3::Bucket', Properties: { BucketName: 'bucket' } },
  Secret: { Type: 'AWS::SecretsManager::Secret', Properties: { Name: 'secret' } },
  Table: {
    Type: 'AWS::DynamoDB::Table',
    Properties: {
      TableName: 'table',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      BillingMode: 'PAY_PER_REQUEST',
    },
  },
};

/** More bytes than S3 keeps in memory. */
const LARGE = 100_000;

/** A table, a bucket and a secret. `fail` applies a fault to the next request, before or after it is carried out. */
async function start() {
  const seen: AwsRequest[] = [];
  let next: { fault: RequestFault; after: boolean } | undefined;
  const { config } = await startHandmade(
    { Stack: { Resources } },
    {},
    {
      requestWrapper: async (request, serve) => {
        // Requests that create the stack do not count.
        if (request.accessKeyId === '') return undefined;
        seen.push(request);
        const due = next;
        next = undefined;
        if (due?.after) await serve();
        return due?.fault;
      },
    },
  );
  const client = { ...config, credentials: { accessKeyId: 'people', secretAccessKey: 'people' }, maxAttempts: 1 };
  return {
    seen,
    fail: (fault: RequestFault, after: boolean) => {
      next = { fault, after };
    },
    ...servicesOf(new DynamoDBClient(client), new S3Client(client), new SecretsManagerClient(client)),
  };
}

/** The same functions for each service: store a value, and look it up (undefined if it does not exist). */
function servicesOf(dynamoDb: DynamoDBClient, s3: S3Client, secrets: SecretsManagerClient) {
  const Key = { id: { S: 'a' } };
  const place = { Bucket: 'bucket', Key: 'folder/a.txt' };
  const list = async () =>
    (await s3.send(new ListObjectsV2Command({ Bucket: 'bucket' }))).Contents?.map((one) => one.Key);
  const services = {
    DynamoDB: {
      put: (value: string) =>
        dynamoDb.send(new PutItemCommand({ TableName: 'table', Item: { ...Key, value: { S: value } } })),
      get: async () => (await dynamoDb.send(new GetItemCommand({ TableName: 'table', Key }))).Item?.value?.S,
    },
    S3: {
      put: (value: string) => s3.send(new PutObjectCommand({ ...place, Body: value })),
      get: async () => {
        try {
          return await (await s3.send(new GetObjectCommand(place))).Body?.transformToString();
        } catch (error) {
          if (error instanceof NoSuchKey) return undefined;
          throw error;
        }
      },
    },
    'Secrets Manager': {
      put: (value: string) => secrets.send(new PutSecretValueCommand({ SecretId: 'secret', SecretString: value })),
      get: async () => {
        try {
          return (await secrets.send(new GetSecretValueCommand({ SecretId: 'secret' }))).SecretString;
        } catch (error) {
          if ((error as Error).name === 'ResourceNotFoundException') return undefined;
          throw error;
        }
      },
    },
  };
  return { services, list };
}

const faults = [
  ['DynamoDB', { status: 400, code: 'ProvisionedThroughputExceededException' }],
  ['DynamoDB', { status: 500, code: 'InternalServerError' }],
  ['S3', { status: 503, code: 'SlowDown' }],
  ['S3', { status: 500, code: 'InternalError' }],
  ['Secrets Manager', { status: 400, code: 'ThrottlingException' }],
  ['Secrets Manager', { status: 500, code: 'InternalServiceError' }],
  ...(['DynamoDB', 'S3', 'Secrets Manager'] as const).map((name) => [name, 'reset'] as const),
] as const;

describe('a request wrapper', () => {
  it.each(faults)('answers a request to %s with %j, before or after it is carried out', async (name, fault) => {
    const { services, fail } = await start();
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
    const { services, list, fail } = await start();
    const { put, get } = services.S3;
    const slowDown = { status: 503, code: 'SlowDown' };
    fail(slowDown, false);
    await expect(put('x'.repeat(LARGE))).rejects.toMatchObject({ name: 'SlowDown' });
    expect(await list()).toBeUndefined();
    fail(slowDown, true);
    await expect(put('y'.repeat(LARGE))).rejects.toMatchObject({ name: 'SlowDown' });
    for (const ask of [get, list]) {
      fail(slowDown, true);
      await expect(ask()).rejects.toMatchObject({ name: 'SlowDown' });
    }
    expect(await get()).toBe('y'.repeat(LARGE));
    expect(await list()).toEqual(['folder/a.txt']);
  });

  it('gets the service, the operation, the path, the body and the access key of a request', async () => {
    const { services, list, seen } = await start();
    await services.DynamoDB.put('one');
    await services.S3.put('two');
    await list();
    await services['Secrets Manager'].put('three');
    expect(seen.map(({ body, ...request }) => ({ ...request, body: body && JSON.parse(body) }))).toEqual([
      {
        service: 'DynamoDB_20120810',
        operation: 'PutItem',
        path: '/',
        accessKeyId: 'people',
        body: { TableName: 'table', Item: { id: { S: 'a' }, value: { S: 'one' } } },
      },
      { service: 'S3', operation: 'PUT', path: '/bucket/folder/a.txt?x-id=PutObject', accessKeyId: 'people', body: '' },
      { service: 'S3', operation: 'GET', path: '/bucket/?list-type=2', accessKeyId: 'people', body: '' },
      {
        service: 'secretsmanager',
        operation: 'PutSecretValue',
        path: '/',
        accessKeyId: 'people',
        body: { SecretId: 'secret', SecretString: 'three', ClientRequestToken: expect.any(String) },
      },
    ]);
  });
});
