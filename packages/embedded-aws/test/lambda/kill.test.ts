import { describe, expect, it } from 'vitest';
import type { AwsRequest } from '../../index.ts';
import { invokeFunction, lambdaResource, startHandmade } from '../cloudformation/handmade-assembly.ts';

/** Sends one message, works, and sends another one. Counts its invocations in memory. */
const CODE = `
let calls = 0;
const say = (MessageBody) =>
  fetch(process.env.AWS_ENDPOINT_URL, {
    method: 'POST',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'AmazonSQS.SendMessage' },
    body: JSON.stringify({ QueueUrl: 'http://127.0.0.1/queue', MessageBody }),
  });
export const work = async ({ name }) => {
  calls += 1;
  await say(name + ' begins');
  await say(name + ' ends');
  return { calls };
};
`;

/** The function `work`, with one invocation at a time, and all messages that reached the queue. */
async function start({ killAt, after }: { killAt: string; after: boolean }) {
  const killed = new AbortController();
  const sent: string[] = [];
  const { aws } = await startHandmade(
    {
      Stack: {
        Resources: {
          Function: lambdaResource('code', 'work'),
          Queue: { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'queue' } },
        },
      },
    },
    { code: CODE },
    {
      lambdaConcurrency: 1,
      // Only the first invocation can be killed.
      invokeWrapper: (_name, event, invoke) =>
        invoke(event, (event as { name: string }).name === 'first' ? killed.signal : undefined),
      requestWrapper: async (request, serve) => {
        const message = messageOf(request);
        if (message === undefined) return undefined;
        const isDue = message === killAt;
        if (!isDue || after) sent.push(message);
        if (!isDue) return undefined;
        if (after) await serve();
        killed.abort();
        return 'reset';
      },
    },
  );
  const invoke = (name: string) => invokeFunction(aws.endpoint, 'work', { name });
  return { sent, invoke, killed };
}

function messageOf({ operation, body }: AwsRequest): string | undefined {
  return operation === 'SendMessage' ? (JSON.parse(body) as { MessageBody: string }).MessageBody : undefined;
}

describe('a function that is killed while it works', () => {
  it.each([
    [{ killAt: 'first begins', after: false }, []],
    [{ killAt: 'first begins', after: true }, ['first begins']],
    [{ killAt: 'first ends', after: true }, ['first begins', 'first ends']],
  ])('ends with Runtime.ExitError, and keeps what it has done before: %j', async (kill, done) => {
    const { sent, invoke } = await start(kill);
    expect(await invoke('first')).toMatchObject({
      error: 'Unhandled',
      result: { errorType: 'Runtime.ExitError', errorMessage: expect.stringContaining('Runtime exited with error') },
    });
    expect(sent).toEqual(done);
  });

  it('leaves the next invocation a new process, even if that one was waiting', async () => {
    const { sent, invoke } = await start({ killAt: 'first begins', after: true });
    const first = invoke('first');
    const waiting = invoke('second');
    expect((await first).result.errorType).toBe('Runtime.ExitError');
    expect(await waiting).toMatchObject({ error: null, result: { calls: 1 } });
    expect(await invoke('third')).toMatchObject({ error: null, result: { calls: 2 } });
    expect(sent).toEqual(['first begins', 'second begins', 'second ends', 'third begins', 'third ends']);
  });

  it('cannot be killed after it has finished', async () => {
    const { invoke, killed } = await start({ killAt: 'nothing', after: false });
    expect((await invoke('first')).result).toEqual({ calls: 1 });
    killed.abort();
    expect((await invoke('second')).result).toEqual({ calls: 2 });
  });
});
