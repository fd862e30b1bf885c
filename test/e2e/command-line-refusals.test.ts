import { expect, test } from 'vitest';
import { loanOrders } from '../helpers/command-line.ts';
import { commandsIn } from '../helpers/commands-in.ts';
import { answer, creating, inject, loseAnswer } from '../helpers/faults.ts';
import { openWorld } from '../helpers/open-world.ts';

const world = await openWorld({ ordersGoOn: true });
await world.submitToEnd('closed');
await world.submitToEnd('invalid', { scenario: 'validation-fails-after-documents' });
await loseCreation('unknown');
inject(world.simulator, 'before', creating, answer(422));
await world.submitToEnd('refused');
await world.submitToSign('running');

async function loseCreation(orderRef: string): Promise<void> {
  inject(world.simulator, 'after', creating, loseAnswer);
  await world.submitToEnd(orderRef);
}

const { done, refusal, run } = commandsIn(world);

test.each([
  [['show', 'nobody'], 'There is no order nobody here'],
  [['retry', 'nobody'], 'There is no order nobody here'],
  [['abort', 'nobody'], 'There is no order nobody here'],
  [['resolve', 'nobody', '--none', '--yes'], 'There is no order nobody here'],
  [['retry', 'closed'], 'Order closed is CLOSED, which is final'],
  [['retry', 'invalid'], 'Order invalid is VALIDATION_FAILED, which is final'],
  [['retry', 'running'], 'Execution running-1 of order running is running'],
  [['retry', 'unknown'], 'Order unknown may or may not exist at the order service'],
  [['resolve', 'running', '--none', '--yes'], 'Execution running-1 of order running is running'],
  [['resolve', 'closed', '--none', '--yes'], 'at the order service: there is nothing to resolve'],
  [['resolve', 'refused', '--order-id', 'x'], 'did not create order refused: there is nothing to resolve'],
  [['migrate', 'nobody'], 'There is no order nobody here'],
  [['migrate', 'closed'], 'which is final: it was not marked'],
  [['abort', 'closed'], 'No execution of order closed is running (the order is CLOSED)'],
  [['show', 'closed', '--stage', 'prod'], 'There is no stack LoanOrders-prod'],
  [['watch', 'nobody'], 'There is no order nobody here'],
  [['list', '--status', 'closed'], 'No order can have the status closed. The nearest one is CLOSED.'],
  [['list', '--status', 'WAITING_FOR_SIGNATURES'], 'The nearest one is WAITING_FOR_SIGNATURE.'],
  [['list', '--failure', 'Unauthorised'], 'can have the failure Unauthorised. The nearest one is Unauthorized.'],
  [['retry', '--failure', 'serviceunavailabel', '--yes'], 'The nearest one is ServiceUnavailable.'],
])('the command %j is refused with one sentence and exit code 1', async (args, sentence) => {
  const refused = await refusal(...args);
  expect(refused).toContain(sentence);
  const json = await run(...args, '--json');
  expect(json).toEqual({ code: 1, stdout: '', stderr: `${JSON.stringify({ error: refused.trimEnd() })}\n` });
});

test.each([
  ['--stage', 'shop'],
  ['--endpoint', 'http://127.0.0.1:1'],
])('deploy refuses %s, which it would ignore', async (option, value) => {
  const { code, stderr } = await loanOrders([option, value, 'deploy', 'prod']);
  expect([code, stderr]).toEqual([2, expect.stringContaining(`${option} does not go with deploy`)]);
});

test.each([
  [[], 'Give a command'],
  [['fix', 'closed'], "Unknown command 'fix'"],
  [['show'], "Missing required argument 'orderRef'"],
  [['show', '../closed'], 'It is not an orderRef'],
  [['list', '--waiting-for', 'godot'], 'Allowed choices are service'],
  [['resolve', 'unknown'], 'Give either --order-id <orderId> or --none'],
  [['resolve', 'unknown', '--order-id', ''], 'Give either --order-id <orderId> or --none'],
  [['resolve', 'unknown', '--order-id', 'x', '--none'], 'cannot be used with option'],
  [['list', '--stage', 'Live'], 'Stage "Live" cannot have this name'],
  [['list', '--older-than', '3 weeks'], 'It is not a time'],
  [['list', '--endpoint', 'localhost'], 'It is not an http:// or https:// address'],
  [['console', '--port', 'http'], 'It is not a port'],
  [['upload-link', 'a', 'order.json', '--minutes', '10081'], 'It is not a number of minutes from 1 to 10080'],
  [['documents', 'a', '--download', ''], 'Name a folder'],
  [['list', '--limit', '0'], 'It is not a number from 1 to 999999'],
  [['submit', '--ref', 'mine', 'one', 'another'], '--ref is for one folder'],
  [['migrate'], 'Give either orderRefs, or --all'],
  [['deploy', 'prod'], '--local does not go with deploy, which acts on AWS'],
  [['migrate', 'closed', '--all'], 'Give either orderRefs, or --all'],
  [['retry'], 'Give either orderRefs, or --all'],
  [['retry', 'closed', '--all'], 'Give either orderRefs, or --all'],
  [['abort', '--all', '--pace', 'fast'], 'It is not a number from 1 to 999999'],
  [['watch'], "Missing required argument 'orderRef'"],
  [['watch', 'a', '--every', '0'], 'It is not a number of seconds from 0.1 to 3600'],
  [['pause'], "Required option '--reason <text>' not specified"],
  [['restored', '--to', '2026-11-12 09:00'], 'It is not a time with its zone'],
  [['restored', '--to', '2026-11-31T09:00:00Z'], 'There is no such date'],
  [['list', '--since', '2026-02-30'], 'There is no such date'],
  [['report', '--month', '30d'], 'It is not a month'],
  [['pause', '--reason', ' '], 'Give a reason of at most 200 characters'],
  [['sign', '--key', 'k', '--cert', 'c'], 'Give either an orderRef or --all'],
  [['sign', 'one', '--all', '--key', 'k', '--cert', 'c'], 'Give either an orderRef or --all'],
  [['sign', '--all', '--file', 'x'], '--file is for one order'],
  ...[[], ['--key', 'k'], ['--key', 'k', '--cert', 'c', '--with', 'x'], ['--with', 'x', '--file', 'y']].map(
    (options): [string[], string] => [
      ['sign', 'any', ...options],
      'Give either --key <file> and --cert <file>, or --with <program>, or --file <file...>',
    ],
  ),
  [['confirm', 'wrong', '--none', '--file', 'x'], 'Give either --offer'],
  [['confirm', 'wrong', '--none', '--offer', 'x', '--code', 'y'], 'Give either --offer'],
  [['confirm', 'wrong', '--offer', 'x'], 'Each --offer needs a --code'],
  [['confirm', 'wrong', '--offer', 'x', '--offer', 'y', '--code', 'z'], 'Each --offer needs a --code'],
])('the command line %j is a mistake that ends with exit code 2', async (args, sentence) => {
  const { code, stdout, stderr } = await run(...args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(sentence);
  expect(stderr.trimEnd()).toMatch(/^[^\n]+\(see loan-orders --help\)\.$/);
});

test('--help documents the exit codes', async () => {
  expect(await done('--help')).toMatch(/Exit codes:\n {2}0 {2}done\n {2}1 {2}refused/);
});

test('resolve refuses a creation that may still be running', async () => {
  await loseCreation('under-way');
  // A function that was running when its execution was stopped leaves this: begun just now, without a failure.
  const begun = { intendedAt: new Date().toISOString(), failure: undefined };
  await world.rewrite('under-way', begun, 'operation#create');
  expect(await refusal('resolve', 'under-way', '--none', '--yes')).toContain('may still be under way');
});

test('an endpoint that does not answer is reported with one sentence and without a stack trace', async () => {
  const { code, stderr } = await loanOrders(['list', '--endpoint', 'http://127.0.0.1:1', '--json']);
  expect(code).toBe(1);
  expect(JSON.parse(stderr).error).toMatch(
    /^No connection to the laptop's AWS at http:\/\/127\.0\.0\.1:1 \(ECONNREFUSED\)\./,
  );
});

test('a command without a region or without credentials says which one is missing', async () => {
  const nobody = { HOME: '/nonexistent', AWS_EC2_METADATA_DISABLED: 'true' };
  for (const environment of [
    nobody,
    { ...nobody, AWS_REGION: '', AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' },
  ]) {
    const anywhere = await loanOrders(['list'], environment);
    expect(anywhere).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(/^No AWS region is set/) });
  }
  const anonymous = await loanOrders(['list'], { ...nobody, AWS_REGION: 'us-east-1' });
  expect(anonymous).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(/^There are no AWS credentials/) });
});
