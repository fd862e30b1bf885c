import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../protocol/json.ts';
import { invokeFunction, lambdaResource, START, startHandmade } from '../cloudformation/handmade-assembly.ts';

const CODE = `
let calls = 0;
export const flaky = async () => { calls += 1; if (calls < 3) throw new TypeError('not yet'); return { calls }; };
export const fail = async () => { throw new RangeError('never'); };
`;

const queueArn = { 'Fn::GetAtt': ['Queue', 'Arn'] };

async function start(handler: string, properties: object, config?: object) {
  const { aws, clock } = await startHandmade(
    {
      Stack: {
        Resources: {
          Queue: { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'letters' } },
          Function: lambdaResource('code', handler, properties),
          ...(config
            ? {
                Config: {
                  Type: 'AWS::Lambda::EventInvokeConfig',
                  Properties: { FunctionName: { Ref: 'Function' }, Qualifier: '$LATEST', ...config },
                },
              }
            : {}),
        },
      },
    },
    { code: CODE },
  );
  const send = () => invokeFunction(aws.endpoint, handler, { order: 'a' }, 'Event');
  return { aws, clock, send, sqs: (operation: string, input: JsonObject) => call(aws.endpoint, operation, input) };
}

async function call(endpoint: string, operation: string, input: JsonObject) {
  const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `AmazonSQS.${operation}` };
  const answer = await fetch(endpoint, { method: 'POST', headers, body: JSON.stringify(input) });
  return (await answer.json()) as {
    Messages?: { Body: string; ReceiptHandle: string; MessageAttributes?: JsonObject }[];
  };
}

const QueueUrl = 'http://127.0.0.1/000000000000/letters';

describe('an asynchronous invocation', () => {
  it('is retried after one minute and after two more, and reports its success', async () => {
    const DestinationConfig = { OnSuccess: { Destination: queueArn } };
    const { aws, clock, send, sqs } = await start('flaky', {}, { DestinationConfig });
    expect((await send()).status).toBe(202);
    const times: number[] = [];
    await aws.runUntil(() => {
      times.push((clock.now() - START) / 1000);
      return clock.nextTimerAt() === undefined;
    });
    expect(times).toEqual([0, 60, 180]);
    const { Messages } = await sqs('ReceiveMessage', { QueueUrl });
    expect(JSON.parse(Messages?.[0]?.Body ?? '')).toMatchObject({
      requestContext: { condition: 'Success', approximateInvokeCount: 3 },
      responsePayload: { calls: 3 },
    });
  });

  it('that always fails ends in the on-failure destination, as configured', async () => {
    const config = { MaximumRetryAttempts: 1, DestinationConfig: { OnFailure: { Destination: queueArn } } };
    const { aws, clock, send, sqs } = await start('fail', {}, config);
    await send();
    await aws.runUntil(() => clock.nextTimerAt() === undefined);
    const { Messages } = await sqs('ReceiveMessage', { QueueUrl });
    expect(JSON.parse(Messages?.[0]?.Body ?? '')).toEqual({
      version: '1.0',
      timestamp: '2030-01-01T00:01:00.000Z',
      requestContext: {
        requestId: expect.any(String),
        functionArn: 'arn:aws:lambda:us-east-1:000000000000:function:fail:$LATEST',
        condition: 'RetriesExhausted',
        approximateInvokeCount: 2,
      },
      requestPayload: { order: 'a' },
      responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
      responsePayload: expect.objectContaining({ errorType: 'RangeError', errorMessage: 'never' }),
    });
  });

  it('that gets too old is given up before its next attempt', async () => {
    const config = { MaximumEventAgeInSeconds: 60, DestinationConfig: { OnFailure: { Destination: queueArn } } };
    const { aws, clock, send, sqs } = await start('fail', {}, config);
    await send();
    await aws.runUntil(() => clock.nextTimerAt() === undefined);
    const { Messages } = await sqs('ReceiveMessage', { QueueUrl });
    const context = { condition: 'EventAgeExceeded', approximateInvokeCount: 2 };
    expect(JSON.parse(Messages?.[0]?.Body ?? '').requestContext).toMatchObject(context);
  });

  it('that always fails leaves the event itself in the dead-letter queue', async () => {
    const { aws, clock, send, sqs } = await start('fail', { DeadLetterConfig: { TargetArn: queueArn } });
    await send();
    await aws.runUntil(() => clock.nextTimerAt() === undefined);
    const { Messages } = await sqs('ReceiveMessage', { QueueUrl, MessageAttributeNames: ['All'] });
    expect(Messages?.[0]).toMatchObject({
      Body: '{"order":"a"}',
      MessageAttributes: { ErrorMessage: { StringValue: 'never' } },
    });
  });
});

describe('an SQS queue', () => {
  it('hides a received message until its visibility timeout ends, and forgets a deleted one', async () => {
    const { clock, sqs } = await start('fail', {});
    await sqs('SendMessage', { QueueUrl, MessageBody: 'hello' });
    const { Messages: [first] = [] } = await sqs('ReceiveMessage', { QueueUrl, VisibilityTimeout: 10 });
    expect(first?.Body).toBe('hello');
    expect(await sqs('ReceiveMessage', { QueueUrl })).toEqual({});
    clock.advanceTo(START + 10_000);
    const { Messages: [again] = [] } = await sqs('ReceiveMessage', { QueueUrl });
    expect(again?.Body).toBe('hello');
    await sqs('DeleteMessage', { QueueUrl, ReceiptHandle: again?.ReceiptHandle ?? '' });
    clock.advanceTo(START + 100_000);
    expect(await sqs('ReceiveMessage', { QueueUrl })).toEqual({});
  });
});
