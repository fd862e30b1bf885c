import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { LocalAwsOptions } from '../../index.ts';
import { invokeFunction, lambdaResource, received, START, startHandmade } from '../cloudformation/handmade-assembly.ts';

const ASK = `export const ask = async ({ port }) => (await fetch('http://127.0.0.1:' + port)).text();\n`;

/** A server that answers when it is told to. */
async function slowServer() {
  const answered = Promise.withResolvers<void>();
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    void answered.promise.then(() => response.end('done'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, answer: answered.resolve, asked: () => asked };
}

const CODE = `
let calls = 0;
export const echo = async (event, context) => ({ event, calls: ++calls, id: context.awsRequestId, name: context.functionName });
export const fail = async () => { console.log('about to'); throw Object.assign(new Error('broken'), { name: 'OrderBroken' }); };
export const exit = async () => process.exit(3);
export const stray = async () => { setImmediate(() => { throw new Error('stray'); }); await new Promise(() => setInterval(() => {}, 1000)); };
export const later = async () => { setTimeout(() => { throw new Error('stray'); }); return ++calls; };
export const environment = async () => process.env;
export const nothing = async () => {};
let inside = 0;
export const overlap = async () => { inside += 1; const seen = inside; await new Promise((resolve) => setImmediate(resolve)); inside -= 1; return seen; };
export const lines = async () => { process.stdout.write('one\\ntw'); process.stdout.write('o\\n'); console.error('three'); };
${ASK}export const lists = async ({ count }) => Array.from({ length: count }, () => new Array(1e6).fill(0.5)).length;
const turn = () => new Promise((resolve) => setTimeout(resolve, 1));
export const buffers = async ({ count }) => { const all = []; while (all.length < count) { all.push(Buffer.alloc(1e6, 1)); await turn(); } };
export const endless = () => { console.log('in'); return new Promise(() => {}); };
export const notAFunction = 1;
`;

async function start(handler: string, properties: object = {}, options: Partial<LocalAwsOptions> = {}) {
  const Resources = { Function: lambdaResource('code', handler, properties) };
  const { aws, clock } = await startHandmade({ Stack: { Resources } }, { code: CODE }, options);
  const invoke = (event: unknown = {}, name = handler) => invokeFunction(aws.endpoint, name, event);
  return { aws, clock, invoke };
}

describe('Lambda', () => {
  it('reports the error of a function in each invocation, and null if its handler returns nothing', async () => {
    const errors = {
      fail: { errorType: 'OrderBroken', errorMessage: 'broken' },
      exit: { errorType: 'Runtime.ExitError', errorMessage: expect.stringContaining('exit status 3') },
      stray: { errorType: 'Runtime.ExitError' },
      notAFunction: { errorType: 'Runtime.HandlerNotFound' },
    };
    const names = [...Object.keys(errors), 'nothing'];
    const Resources = Object.fromEntries(names.map((name) => [name, lambdaResource('code', name)]));
    const { aws } = await startHandmade({ Stack: { Resources } }, { code: CODE });
    for (const [name, result] of Object.entries(errors)) {
      for (const _attempt of [1, 2])
        expect(await invokeFunction(aws.endpoint, name, {}), name).toMatchObject({ error: 'Unhandled', result });
    }
    expect(await invokeFunction(aws.endpoint, 'nothing', {})).toEqual({ status: 200, error: null, result: null });
  });

  it.each(['POST /versions', 'GET /invocations', 'DELETE ', 'DELETE /invocations?Qualifier=x', 'PUT /code'])(
    'refuses %s, which is none of its operations',
    async (asked) => {
      const { aws } = await start('echo');
      const [method = '', rest = ''] = asked.split(' ');
      const answer = await fetch(`${aws.endpoint}/2015-03-31/functions/echo${rest}`, { method });
      expect([answer.ok, await answer.text()]).toEqual([false, expect.stringContaining('UnknownOperationException')]);
    },
  );

  it('ends a function that needs more memory than it has, and leaves other functions theirs', async () => {
    const Resources = {
      Small: lambdaResource('code', 'lists', { FunctionName: 'small', MemorySize: 128, Timeout: 60 }),
      Large: lambdaResource('code', 'lists', { FunctionName: 'large', MemorySize: 512, Timeout: 60 }),
    };
    const { aws } = await startHandmade({ Stack: { Resources } }, { code: CODE }, { lambdaThreads: 1 });
    // Each takes 8 MB.
    const invoke = (name: string, count: number) => invokeFunction(aws.endpoint, name, { count });
    expect(await invoke('small', 20)).toMatchObject({
      error: 'Unhandled',
      result: {
        errorType: 'Runtime.OutOfMemory',
        errorMessage: expect.stringMatching(/exited with error: signal: killed$/),
      },
    });
    expect(await invoke('large', 20)).toMatchObject({ error: null });
    expect(await invoke('small', 1)).toMatchObject({ error: null });
  });

  it('counts the buffers of a function as its memory, and no longer than it keeps them', async () => {
    const { invoke } = await start('buffers', { MemorySize: 128, Timeout: 60 });
    for (const _time of [1, 2]) expect(await invoke({ count: 100 })).toMatchObject({ error: null });
    expect((await invoke({ count: 1_000 })).result).toMatchObject({ errorType: 'Runtime.OutOfMemory' });
  });

  it('starts a new process if the old one broke between invocations', async () => {
    const { aws, invoke } = await start('later');
    expect((await invoke()).result).toBe(1);
    await expect.poll(() => aws.logs().some(({ line }) => line.includes('stray'))).toBe(true);
    expect((await invoke()).result).toBe(1);
  });

  it('gives a function its own environment and no variable of the host', async () => {
    const properties = { Environment: { Variables: { COLOR: 'green', SIZE: 'S' } }, MemorySize: 256 };
    const { invoke, aws } = await start('environment', properties, { functionEnvironment: { SIZE: 'L' } });
    const { result } = await invoke();
    expect(result).toMatchObject({
      COLOR: 'green',
      SIZE: 'L',
      AWS_ENDPOINT_URL: aws.endpoint,
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '256',
    });
    for (const name of ['HOME', 'PATH', 'NODE_OPTIONS', 'VITEST']) expect(result).not.toHaveProperty(name);
  });

  it('never runs two invocations in one sandbox at once', async () => {
    const { invoke } = await start('overlap', {}, { lambdaConcurrency: 2 });
    const answers = await Promise.all(Array.from({ length: 8 }, () => invoke()));
    expect(answers.map(({ result }) => result)).toEqual(Array(8).fill(1));
  });

  it('runs a function although as many functions as there are threads are waiting', async () => {
    const { port, answer } = await slowServer();
    const Resources = { Ask: lambdaResource('code', 'ask', { Timeout: 30 }), Echo: lambdaResource('code', 'echo') };
    const { aws } = await startHandmade({ Stack: { Resources } }, { code: CODE }, { lambdaThreads: 1 });
    const asking = invokeFunction(aws.endpoint, 'ask', { port });
    expect((await invokeFunction(aws.endpoint, 'echo', { a: 1 })).result.event).toEqual({ a: 1 });
    answer();
    expect((await asking).result).toBe('done');
  });

  it('gives each function in a thread its own module and environment', async () => {
    const named = (COLOR: string) => ({ Environment: { Variables: { COLOR } } });
    const Resources = {
      One: lambdaResource('code', 'environment', { FunctionName: 'one', ...named('green') }),
      Other: lambdaResource('code', 'environment', { FunctionName: 'other' }),
      Echo: lambdaResource('code', 'echo'),
    };
    const { aws } = await startHandmade({ Stack: { Resources } }, { code: CODE }, { lambdaThreads: 1 });
    for (const _time of [1, 2, 3, 4]) {
      expect((await invokeFunction(aws.endpoint, 'one', {})).result).toMatchObject({ COLOR: 'green' });
      expect((await invokeFunction(aws.endpoint, 'other', {})).result).not.toHaveProperty('COLOR');
    }
    expect((await invokeFunction(aws.endpoint, 'echo', {})).result.calls).toBe(1);
  });

  it('keeps every line that a function wrote before its result', async () => {
    const { invoke, aws } = await start('lines');
    await invoke();
    const lines = aws.logs().map(({ functionName, stream, line }) => [functionName, stream, line]);
    expect(lines).toEqual([
      ['lines', 'stdout', 'one'],
      ['lines', 'stdout', 'two'],
      ['lines', 'stderr', 'three'],
    ]);
    expect(new Set(aws.logs().map(({ requestId }) => requestId)).size).toBe(1);
  });

  it('kills an invocation that runs longer than its Timeout', async () => {
    const { aws, invoke } = await start('endless', { Timeout: 1 });
    const timedOut = {
      errorType: 'Sandbox.Timedout',
      errorMessage: expect.stringContaining('timed out after 1.00 seconds'),
    };
    expect(await invoke()).toMatchObject({ error: 'Unhandled', result: timedOut });
    expect(aws.logs().map(({ stream }) => stream)).toEqual(['stdout', 'platform']);
  });
});

const ASYNC = `
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
  const { aws, clock } = await startHandmade({ Stack: { Resources } }, { code: ASYNC });
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

/** A function that may run once at a time, and does. `ask` invokes it again, and `answer` ends what waits. */
async function startReserved(config: object = {}) {
  const Ask = lambdaResource('code', 'ask', { ReservedConcurrentExecutions: 1 });
  const Resources = { Function: Ask, Config: invokeConfig(config) };
  const { aws, clock } = await startHandmade({ Stack: { Resources } }, { code: ASK });
  const { port, answer, asked } = await slowServer();
  const ask = (type?: 'Event') => invokeFunction(aws.endpoint, 'ask', { port }, type);
  const first = ask();
  await expect.poll(asked).toBe(1);
  return { aws, clock, answer, asked, ask, first };
}

describe('a function with reserved concurrency', () => {
  it('refuses an invocation while as many run', async () => {
    const { answer, ask, first } = await startReserved();
    const result = { __type: 'TooManyRequestsException', Reason: 'ReservedFunctionConcurrentInvocationLimitExceeded' };
    expect(await ask()).toMatchObject({ status: 429, result });
    answer();
    expect((await first).result).toBe('done');
    expect((await ask()).result).toBe('done');
  });

  it('keeps an asynchronous event until a run is free, and does not count the refusals as attempts', async () => {
    const { aws, clock, answer, asked, ask, first } = await startReserved({ MaximumRetryAttempts: 0 });
    expect((await ask('Event')).status).toBe(202);
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
