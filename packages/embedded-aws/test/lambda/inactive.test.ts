import { expect, test } from 'vitest';
import {
  callSqs,
  invokeFunction,
  lambdaResource,
  queuePolicy,
  startHandmade,
} from '../cloudformation/handmade-assembly.ts';

const CODE = 'export const echo = async (event) => { console.log(JSON.stringify(event)); };';

/** AWS Lambda Developer Guide, "Lambda function states". */
test('an inactive function refuses invocations until it is connected again', async () => {
  const Resources = { Function: lambdaResource('code', 'echo') };
  const { aws, clock } = await startHandmade({ Stack: { Resources } }, { code: CODE });
  const invoke = () => invokeFunction(aws.endpoint, 'echo', {});
  aws.makeInactive('echo');
  expect(await invoke()).toMatchObject({ status: 502, result: { __type: 'ResourceNotReadyException' } });
  expect(await invoke()).toMatchObject({ status: 409, result: { __type: 'ResourceConflictException' } });
  clock.advanceTo(clock.now() + 60_000);
  expect(await invoke()).toMatchObject({ status: 200, error: null });
});

test('a message for an inactive function comes again after its visibility timeout', async () => {
  const Resources = {
    Function: lambdaResource('code', 'echo'),
    Queue: { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'queue', VisibilityTimeout: 90 } },
    QueuePolicy: queuePolicy('Queue'),
    Source: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        FunctionName: { Ref: 'Function' },
        EventSourceArn: { 'Fn::GetAtt': ['Queue', 'Arn'] },
        BatchSize: 1,
      },
    },
  };
  const { aws, clock } = await startHandmade({ Stack: { Resources } }, { code: CODE });
  aws.makeInactive('echo');
  await callSqs(aws, 'SendMessage', 'queue', { MessageBody: 'hello' });
  await aws.settle();
  expect(aws.logs()).toEqual([]);
  clock.advanceTo(clock.now() + 90_000);
  await aws.settle();
  expect(aws.logs()).toHaveLength(1);
});
