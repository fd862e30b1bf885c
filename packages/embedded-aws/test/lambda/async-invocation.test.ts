import { describe, expect, it } from 'vitest';
import { invokeFunction, lambdaResource, received, START, startHandmade } from '../cloudformation/handmade-assembly.ts';

const CODE = `
let calls = 0;
export const flaky = async () => { calls += 1; if (calls < 3) throw new TypeError('not yet'); return { calls }; };
export const fail = async () => { throw new RangeError('never'); };
`;

const queueArn = { 'Fn::GetAtt': ['Queue', 'Arn'] };

/** Invokes the function with an event, and lets time pass until no attempt is left. Returns the times of all attempts, too. */
async function run(handler: string, properties: object, config?: object) {
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
  const times: number[] = [];
  expect((await invokeFunction(aws.endpoint, handler, { order: 'a' }, 'Event')).status).toBe(202);
  await aws.runUntil(() => {
    times.push((clock.now() - START) / 1000);
    return clock.nextTimerAt() === undefined;
  });
  return { aws, times };
}

describe('an asynchronous invocation', () => {
  it('is retried after one minute and after two more', async () => {
    expect((await run('flaky', {})).times).toEqual([0, 60, 180]);
  });

  it('that always fails ends in the on-failure destination, as configured', async () => {
    const config = { MaximumRetryAttempts: 1, DestinationConfig: { OnFailure: { Destination: queueArn } } };
    const { aws } = await run('fail', {}, config);
    const [letter] = await received(aws, 'letters');
    expect(letter).toEqual({
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
});
