import { describe, expect, it } from 'vitest';
import { invokeFunction, lambdaResource, received, START, startHandmade } from '../cloudformation/handmade-assembly.ts';
import { ASK, slowServer } from './slow-server.ts';

const CODE = `
let calls = 0;
export const flaky = async () => { calls += 1; if (calls < 3) throw new TypeError('not yet'); return { calls }; };
export const fail = async () => { throw new RangeError('never'); };
`;

const queueArn = { 'Fn::GetAtt': ['Queue', 'Arn'] };

const invokeConfig = (config: object) => ({
  Type: 'AWS::Lambda::EventInvokeConfig',
  Properties: { FunctionName: { Ref: 'Function' }, Qualifier: '$LATEST', ...config },
});

/** Invokes the function with an event, and lets time pass until no attempt is left. Returns the times of all attempts, too. */
async function run(handler: string, config?: object) {
  const Resources = {
    Queue: { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'letters' } },
    Function: lambdaResource('code', handler),
    ...(config && { Config: invokeConfig(config) }),
  };
  const { aws, clock } = await startHandmade({ Stack: { Resources } }, { code: CODE });
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
    expect((await run('flaky')).times).toEqual([0, 60, 180]);
  });

  it('that always fails ends in the on-failure destination, as configured', async () => {
    const config = { MaximumRetryAttempts: 1, DestinationConfig: { OnFailure: { Destination: queueArn } } };
    const { aws } = await run('fail', config);
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

async function start(config: object = {}) {
  const Ask = lambdaResource('code', 'ask', { ReservedConcurrentExecutions: 1 });
  const Resources = { Function: Ask, Config: invokeConfig(config) };
  return startHandmade({ Stack: { Resources } }, { code: ASK });
}

describe('a function with reserved concurrency', () => {
  it('refuses an invocation while as many run', async () => {
    const { aws } = await start();
    const { port, answer, asked } = await slowServer();
    const first = invokeFunction(aws.endpoint, 'ask', { port });
    await expect.poll(asked).toBe(1);
    expect(await invokeFunction(aws.endpoint, 'ask', { port })).toMatchObject({
      status: 429,
      result: { __type: 'TooManyRequestsException', Reason: 'ReservedFunctionConcurrentInvocationLimitExceeded' },
    });
    answer();
    expect((await first).result).toBe('done');
    expect((await invokeFunction(aws.endpoint, 'ask', { port })).result).toBe('done');
  });

  it('keeps an asynchronous event until a run is free, and does not count the refusals as attempts', async () => {
    const { aws, clock } = await start({ MaximumRetryAttempts: 0 });
    const { port, answer, asked } = await slowServer();
    const first = invokeFunction(aws.endpoint, 'ask', { port });
    await expect.poll(asked).toBe(1);
    expect((await invokeFunction(aws.endpoint, 'ask', { port }, 'Event')).status).toBe(202);
    // Each refusal doubles the time until the next attempt.
    for (const seconds of [1, 2, 4]) {
      await expect.poll(() => clock.nextTimerAt()).toBe(clock.now() + seconds * 1000);
      clock.advanceTo(clock.now() + seconds * 1000);
    }
    await expect.poll(() => clock.nextTimerAt()).toBe(clock.now() + 8000);
    expect(asked()).toBe(1);
    answer();
    expect((await first).result).toBe('done');
    await aws.runUntil(() => asked() === 2);
    await aws.settle();
    expect(clock.nextTimerAt()).toBeUndefined();
  });
});
