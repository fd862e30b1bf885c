import { describe, expect, it } from 'vitest';
import { invokeFunction, lambdaResource, startHandmade } from './cloudformation/handmade-assembly.ts';
import { functionArn, LAMBDA, startMachine, workTask } from './step-functions/state-machine-fixture.ts';

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
