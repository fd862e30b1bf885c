import { CreateTableCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import {
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { invokeFunction, lambdaResource, startHandmade } from './cloudformation/handmade-assembly.ts';
import { startS3 } from './s3/s3-fixture.ts';
import { functionArn, LAMBDA, startMachine, workTask } from './step-functions/state-machine-fixture.ts';

describe('S3', () => {
  it('accepts keys of up to 1,024 bytes, counted in bytes and not in characters', async () => {
    const { s3, Bucket } = await startS3();
    const longest = `${'Ж'.repeat(511)}xy`;
    await s3.send(new PutObjectCommand({ Bucket, Key: longest, Body: 'x' }));
    const Key = `${longest}z`;
    const tooLong = { name: 'KeyTooLongError' };
    await expect(s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }))).rejects.toMatchObject(tooLong);
    await expect(s3.send(new GetObjectCommand({ Bucket, Key }))).rejects.toMatchObject(tooLong);
    await expect(s3.send(new CreateMultipartUploadCommand({ Bucket, Key }))).rejects.toMatchObject(tooLong);
    const copy = new CopyObjectCommand({ Bucket, Key, CopySource: `${Bucket}/a` });
    await expect(s3.send(copy)).rejects.toMatchObject(tooLong);
  });
});

describe('DynamoDB', () => {
  it('accepts partition keys of up to 2,048 bytes, sort keys of up to 1,024 bytes and items of up to 400 KB', async () => {
    const { config } = await startHandmade({ Stack: { Resources: {} } });
    const dynamodb = new DynamoDBClient(config);
    const TableName = 'orders';
    await dynamodb.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: ['one', 'other'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
        KeySchema: [
          { AttributeName: 'one', KeyType: 'HASH' },
          { AttributeName: 'other', KeyType: 'RANGE' },
        ],
      }),
    );
    const put = (one: string, other: string, more = '') =>
      dynamodb.send(
        new PutItemCommand({ TableName, Item: { one: { S: one }, other: { S: other }, more: { S: more } } }),
      );
    await put('Ж'.repeat(1_024), 'Ж'.repeat(512));
    const refused = { name: 'ValidationException' };
    await expect(put(`${'Ж'.repeat(1_024)}x`, 'a')).rejects.toMatchObject(refused);
    await expect(put('a', `${'Ж'.repeat(512)}x`)).rejects.toMatchObject(refused);
    await put('a', 'a', 'x'.repeat(409_000));
    await expect(put('a', 'a', 'x'.repeat(410_000))).rejects.toMatchObject(refused);
  });
});

describe('Lambda', () => {
  const CODE = `
export const size = async ({ text = '' }) => text.length;
export const grow = async ({ bytes }) => 'x'.repeat(bytes);`;
  const MIB = 1024 * 1024;

  async function start(handler: string) {
    const Resources = { Function: lambdaResource('code', handler) };
    const { aws } = await startHandmade({ Stack: { Resources } }, { code: CODE });
    return (event: object, type?: string) => invokeFunction(aws.endpoint, handler, event, type);
  }

  it('accepts events of up to 6 MiB, and of up to 1 MiB in asynchronous invocations', async () => {
    const invoke = await start('size');
    const room = '{"text":""}'.length;
    const event = (bytes: number) => ({ text: 'x'.repeat(bytes - room) });
    expect(await invoke(event(6 * MIB))).toMatchObject({ status: 200, result: 6 * MIB - room });
    expect(await invoke(event(6 * MIB + 1))).toMatchObject({ status: 413 });
    expect(await invoke(event(MIB), 'Event')).toMatchObject({ status: 202 });
    expect(await invoke(event(MIB + 1), 'Event')).toMatchObject({ status: 413 });
  });

  it('refuses a result above 6 MiB', async () => {
    const invoke = await start('grow');
    expect(await invoke({ bytes: 6 * MIB - 2 })).toMatchObject({ error: null });
    const result = { errorType: 'Function.ResponseSizeTooLarge' };
    expect(await invoke({ bytes: 6 * MIB - 1 })).toMatchObject({ error: 'Unhandled', result });
  });

  it('accepts a function environment of up to 4 KB, measured as JSON', async () => {
    const resource = (value: string) => lambdaResource('code', 'size', { Environment: { Variables: { NAME: value } } });
    const withValue = (value: string) =>
      startHandmade({ Stack: { Resources: { Function: resource(value) } } }, { code: CODE });
    await withValue('x'.repeat(4_085));
    await expect(withValue('x'.repeat(4_086))).rejects.toThrow(/environment.*4 KB/);
    await expect(withValue('"'.repeat(2_100))).rejects.toThrow(/environment.*4 KB/);
  });
});

describe('Step Functions', () => {
  it('passes at most 256 KiB to a Task', async () => {
    const { start, finish } = await startMachine({
      Begin: { Type: 'Pass', Next: 'Double' },
      Double: workTask({}, { Parameters: { FunctionName: functionArn, Payload: { 'a.$': '$', 'b.$': '$' } } }),
    });
    const { status, error, cause } = await finish(await start({ text: 'x'.repeat(200_000) }));
    expect([status, error]).toEqual(['FAILED', 'States.DataLimitExceeded']);
    const limit = 'a result with a size exceeding the maximum number of bytes service limit.';
    expect(cause).toBe(`The state/task '${LAMBDA}' returned ${limit}`);
  });
});
