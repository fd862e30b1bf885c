import { describe, expect, it } from 'vitest';
import type { LocalAwsOptions } from '../../index.ts';
import { invokeFunction, lambdaResource, startHandmade } from '../cloudformation/handmade-assembly.ts';
import { ASK, slowServer } from './slow-server.ts';

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
    const Environment = { Variables: { COLOR: 'green', SIZE: 'S' } };
    const { invoke, aws } = await start(
      'environment',
      { Environment, MemorySize: 256 },
      { functionEnvironment: { SIZE: 'L' } },
    );
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
