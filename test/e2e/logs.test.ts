import { beforeAll, expect, test } from 'vitest';
import { commandsIn, inItsTime } from '../helpers/commands-in.ts';
import { answer, reading, removeFaults } from '../helpers/faults.ts';
import { OFFERS_AT_ONCE, openWorld, submit } from '../helpers/open-world.ts';

const world = await openWorld({ settings: OFFERS_AT_ONCE, ordersGoOn: true });
const { refusal, run } = commandsIn(world);

interface Line {
  at: string;
  source: string;
  message: string;
  orderRef?: string;
  execution?: string;
}

async function linesOf(orderRef: string, ...options: string[]): Promise<Line[]> {
  const { code, stdout, stderr } = await run('--json', 'logs', orderRef, ...options);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const { lines, isComplete } = JSON.parse(stdout) as { lines: Line[]; isComplete: boolean };
  expect(isComplete).toBe(true);
  return lines;
}

beforeAll(async () => {
  world.simulator.hooks.before = async (call, request, reply) => {
    if (reading(call)) await answer(403)(call, request, reply);
  };
  // Each reference is part of another one, or like it.
  for (const orderRef of ['logged.1', 'logged.1-1', 'loggedX1']) await submit(world, orderRef);
  for (const orderRef of ['logged.1', 'logged.1-1', 'loggedX1']) await world.untilEnd(orderRef);
  removeFaults(world.simulator);
  await world.aws.settle();
});

test('logs shows what functions and the state machine wrote about an order', async () => {
  const { code, stdout, stderr } = await run('logs', 'logged.1');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const lines = stdout.trimEnd().split('\n');
  for (const told of [
    /^20\d\d-\d\d-\d\d \S+Z +INFO +check-package +The order was started/,
    /INFO +state machine +ExecutionStarted, execution logged\.1-1$/,
    /INFO +state machine +TaskStateEntered "Create order", execution logged\.1-1$/,
    /ERROR +read-order +.*generation 1, error Rejected, operation read-order, requestId \S+, httpStatus 403$/,
    /INFO +read-order +Read order, .*httpStatus 403, outcome Rejected, milliseconds \d+$/,
    /ERROR +state machine +ExecutionFailed, execution logged\.1-1, error Rejected$/,
  ])
    expect(lines).toContainEqual(expect.stringMatching(told));
  expect(stdout).not.toMatch(/awsRequestId|undefined/);
});

test('logs shows no line of an order whose reference is similar', async () => {
  for (const orderRef of ['logged.1', 'logged.1-1', 'loggedX1']) {
    const lines = await linesOf(orderRef);
    expect(lines.length).toBeGreaterThan(5);
    for (const line of lines) expect(line.orderRef ?? line.execution).toBe(line.orderRef ? orderRef : `${orderRef}-1`);
    expect(lines.map(({ at }) => at)).toEqual(lines.map(({ at }) => at).sort());
  }
});

test('logs finds every line that the functions wrote about an order', async () => {
  const written = world.aws.logs().filter(({ line }) => line.includes('"loggedX1"'));
  const found = await linesOf('loggedX1');
  expect(found.filter(({ source }) => source !== 'state machine')).toHaveLength(written.length);
});

test('logs --since leaves out what is older, and says so when nothing is left', async () => {
  const hourLater = <Result>(act: () => Promise<Result>) => inItsTime(world, act, 3_600_000);
  expect(await hourLater(() => linesOf('logged.1', '--since', '1d'))).toEqual(await linesOf('logged.1'));
  expect(await hourLater(() => refusal('logs', 'logged.1', '--since', '10m'))).toMatch(
    /^No function wrote about order logged\.1 since 20\d\d-\d\d-\d\d \S+Z\. .*logRetentionDays[^\n]+\n$/,
  );
});

test('logs shows what was written about a package that was rejected', async () => {
  await world.put('no-order-yet', 'order.json', {});
  await world.aws.settle();
  const lines = await linesOf('no-order-yet');
  expect(lines.map(({ source, message }) => `${source}: ${message}`)).toContain(
    'check-package: A package was rejected',
  );
});

test.each([
  [['logs', 'nobody-knows'], 1, /^There is no order nobody-knows here: [^\n]+\n$/],
  [['logs', 'logged.1', '--since', 'yesterday'], 2, /It is not a time: write minutes, hours or days/],
  [['logs'], 2, /[Mm]issing required argument 'orderRef'/],
])('%j is refused with one sentence', async (args, code, sentence) => {
  const outcome = await run(...args);
  expect(outcome).toMatchObject({ code, stdout: '' });
  expect(outcome.stderr).toMatch(sentence);
});
