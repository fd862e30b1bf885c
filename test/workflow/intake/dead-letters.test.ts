import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { run } from '../../../commands/program.ts';
import type { InvokeWrapper } from '../../../local/aws/index.ts';
import { answer, creating, inject, removeFaults } from '../../helpers/faults.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { orderPackage, submit } from '../../helpers/packages.ts';
import { filesToSign, putSignature, signed } from '../../helpers/signatures.ts';

let wrapper: InvokeWrapper | undefined;

const world = await openWorld({
  settings: { documentsToSign: 2 },
  invokeWrapper: (name, event, invoke) => (wrapper ? wrapper(name, event, invoke) : invoke()),
});

afterEach(() => {
  wrapper = undefined;
});

/** Makes the function fail for every event that `matches`. */
function fail(name: string, matches: (event: string) => boolean = () => true): void {
  wrapper = async (functionName, event, invoke) => {
    if (functionName !== `loan-orders-local-${name}` || !matches(JSON.stringify(event))) return invoke();
    throw Object.assign(new Error('broken'), { name: 'TypeError' });
  };
}

async function askQueue(operation: string, input: object): Promise<string> {
  const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `AmazonSQS.${operation}` };
  const QueueUrl = world.outputs.DeadLetterQueueUrl;
  const body = JSON.stringify({ QueueUrl, ...input });
  return (await fetch(world.aws.endpoint, { method: 'POST', headers, body })).text();
}

/** Does what `aws sqs receive-message --visibility-timeout 600 --message-attribute-names All` does. */
const receive = () => askQueue('ReceiveMessage', { VisibilityTimeout: 600, MessageAttributeNames: ['All'] });

/** Lets time pass until all attempts have failed. Returns letter.json. */
async function deadLetter(): Promise<string> {
  let letter = '{}';
  await world.aws.runUntil(async () => {
    letter = await receive();
    return letter !== '{}';
  });
  return letter;
}

/** Runs the script that docs/operations.md gives for taking the event out of letter.json. */
async function takeOut(letter: string): Promise<{ event: string; target: string; error: string }> {
  const page = await readFile(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
  const script = /node -p '(const \{ Body[^']*)'/.exec(page)?.[1] ?? '';
  const folder = await mkdtemp(join(tmpdir(), 'dead-letters-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'letter.json'), letter);
  const { stdout } = await promisify(execFile)(process.execPath, ['-p', script], { cwd: folder });
  const [target = '', error = ''] = [...stdout.matchAll(/'([^']*)'/g)].map(([, text]) => text ?? '');
  return { event: await readFile(join(folder, 'event.json'), 'utf8'), target, error };
}

/** Does what `aws lambda invoke --payload fileb://event.json` does. The answer must be `null`, without a FunctionError. */
async function replay(event: string, target: string): Promise<void> {
  const name = target.split(':')[6];
  const response = await fetch(`${world.aws.endpoint}/2015-03-31/functions/${name}/invocations`, {
    method: 'POST',
    body: event,
  });
  expect([response.status, response.headers.get('x-amz-function-error'), await response.text()]).toEqual([
    200,
    null,
    'null',
  ]);
}

/** Replays a letter as docs/operations.md says, and deletes it. Returns the event, so that it can be replayed again. */
async function replayLetter(letter: string, name: string): Promise<string> {
  const { event, target, error } = await takeOut(letter);
  expect(target).toContain(`:function:loan-orders-local-${name}`);
  expect(error).toBe('TypeError');
  wrapper = undefined;
  await replay(event, target);
  const { Messages } = JSON.parse(letter) as { Messages: { ReceiptHandle: string }[] };
  await askQueue('DeleteMessage', { ReceiptHandle: Messages[0]?.ReceiptHandle });
  return event;
}

const queueIsEmpty = async () => {
  world.clock.advanceTo(world.clock.now() + 601_000);
  return (await receive()) === '{}';
};

test('a package whose intake failed on all attempts starts once when its event is replayed twice', async () => {
  fail('intake', (event) => event.includes('order.json'));
  await world.put('intake', 'documents/charter.pdf', 'bytes');
  // The event of the document finds no package yet.
  await world.aws.settle();
  await world.put('intake', 'order.json', orderPackage());
  const letter = await deadLetter();
  expect(await world.record('intake')).toBeUndefined();
  const event = await replayLetter(letter, 'intake');
  expect(JSON.parse(event)).toMatchObject({
    'detail-type': 'Object Created',
    detail: { object: { key: 'orders/intake/order.json', 'version-id': expect.any(String) } },
  });
  expect(await world.untilEnd('intake')).toMatchObject({ status: 'CLOSED', generation: 1 });
  await replay(event, 'arn:aws:lambda:::function:loan-orders-local-intake');
  await world.aws.settle();
  expect(world.simulator.orders()).toHaveLength(1);
  expect(await world.executions('intake')).toHaveLength(1);
  expect(await queueIsEmpty()).toBe(true);
});

test('replaying the failed event of the last signature wakes the order', async () => {
  await submit(world, 'signature');
  const waits = { signing: false };
  const [first = '', last = ''] = await filesToSign(world, 'signature');
  await putSignature(world, 'signature', first, await signed(world, 'signature', first));
  await world.aws.settle();
  fail('receive', (event) => event.includes(last));
  await putSignature(world, 'signature', last, await signed(world, 'signature', last));
  const letter = await deadLetter();
  expect(await world.record('signature')).toMatchObject({ waitingFor: 'signatures' });
  const event = await replayLetter(letter, 'receive');
  expect(await world.untilEnd('signature', waits)).toMatchObject({ status: 'CLOSED', generation: 1 });
  await replay(event, 'arn:aws:lambda:::function:loan-orders-local-receive');
  expect(await world.record('signature')).toMatchObject({ status: 'CLOSED', waitingFor: 'nobody' });
  expect(await queueIsEmpty()).toBe(true);
});

test('an execution end that could not be recorded is recorded by replaying its event, and the order can be retried', async () => {
  inject(world.simulator, 'before', creating, answer(400));
  fail('record-end');
  await submit(world, 'end');
  const letter = await deadLetter();
  expect((await world.executions('end')).map(({ status }) => status)).toEqual(['FAILED']);
  // Until then only the alarm of the queue shows that the order has stopped.
  expect(await world.record('end')).toMatchObject({ waitingFor: 'service' });
  const event = await replayLetter(letter, 'record-end');
  expect(await world.record('end')).toMatchObject({ waitingFor: 'operator', failure: { error: 'Rejected' } });
  removeFaults(world.simulator);
  const streams = { out: () => undefined, err: () => undefined };
  expect(await run(['--endpoint', world.aws.endpoint, 'retry', 'end'], streams)).toBe(0);
  expect(await world.untilEnd('end')).toMatchObject({ status: 'CLOSED', generation: 2 });
  // Replaying the event after the order has continued changes nothing.
  await replay(event, 'arn:aws:lambda:::function:loan-orders-local-record-end');
  expect(await world.record('end')).toMatchObject({ status: 'CLOSED', waitingFor: 'nobody' });
  expect(await queueIsEmpty()).toBe(true);
});

test('an event that never reached its function is the message itself, and it is replayed in the same way', async () => {
  const seen: string[] = [];
  wrapper = async (_name, event, invoke) => {
    seen.push(JSON.stringify(event));
    return invoke();
  };
  await world.put('unreached', 'order.json', orderPackage());
  await world.aws.settle();
  const text = (StringValue: string) => ({ DataType: 'String', StringValue });
  const MessageAttributes = {
    TARGET_ARN: text('arn:aws:lambda:us-east-1:000000000000:function:loan-orders-local-intake'),
    ERROR_CODE: text('SDK_CLIENT_ERROR'),
  };
  await askQueue('SendMessage', { MessageBody: seen[0], MessageAttributes });
  const { event, target, error } = await takeOut(await receive());
  expect([JSON.parse(event), error]).toEqual([JSON.parse(seen[0] ?? ''), 'SDK_CLIENT_ERROR']);
  await replay(event, target);
  expect(await world.stagedJson('unreached', 'rejected.json')).toMatchObject({ orderRef: 'unreached' });
});
