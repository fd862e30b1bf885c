import { describe, expect, it } from 'vitest';
import { invokeFunction, lambdaResource, startHandmade } from '../cloudformation/handmade-assembly.ts';
import { ASK, slowServer } from './slow-server.ts';

async function start(reserved: number, config: object = {}) {
  const Resources = {
    Ask: lambdaResource('code', 'ask', { ReservedConcurrentExecutions: reserved }),
    Config: {
      Type: 'AWS::Lambda::EventInvokeConfig',
      Properties: { FunctionName: { Ref: 'Ask' }, Qualifier: '$LATEST', ...config },
    },
  };
  return startHandmade({ Stack: { Resources } }, { code: ASK });
}

describe('a function with reserved concurrency', () => {
  it('refuses an invocation while as many run', async () => {
    const { aws } = await start(1);
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
    const { aws, clock } = await start(1, { MaximumRetryAttempts: 0 });
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
