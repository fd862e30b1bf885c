import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { announceLaptop } from '../../commands/shared/laptops.ts';
import { loanOrders } from '../helpers/command-line.ts';
import { commandsIn, outputOf } from '../helpers/commands-in.ts';
import {
  answer,
  creating,
  inject,
  loseRequest,
  type Matches,
  reading,
  removeFaults,
  type ServiceFault,
} from '../helpers/faults.ts';
import { NO_OFFERS, OFFERS_AT_ONCE, openWorld, SIGNATURES_AT_ONCE } from '../helpers/open-world.ts';
import { DAY } from '../helpers/world.ts';

const settings = { ...OFFERS_AT_ONCE, ...NO_OFFERS };
const world = await openWorld({ settings, ordersGoOn: true });
const stopped = ['stopped-1', 'stopped-2', 'stopped-3'];
const lost = ['lost-1', 'lost-2'];

const REFUSAL = { code: 'PARTNER_BLOCKED', message: 'The partner is\u001b[31m blocked.' };

const { as, done, run } = commandsIn(world);

async function listed(...args: string[]): Promise<string[]> {
  return JSON.parse(await done('--json', 'list', ...args)).map(({ orderRef }: { orderRef: string }) => orderRef);
}

async function ended(orderRefs: string[], matches: Matches = () => false, fault: ServiceFault = loseRequest) {
  inject(world.simulator, 'before', matches, fault, Number.POSITIVE_INFINITY);
  for (const orderRef of orderRefs) await world.submit(orderRef);
  for (const orderRef of orderRefs) await world.untilEnd(orderRef);
  removeFaults(world.simulator);
}

const submitOver = () => ended(['over']);
const submitStopped = () => ended(stopped, reading, answer(403, REFUSAL));
/** Their creation may have come through. */
const submitLost = () => ended(lost, creating, loseRequest);

describe('what only looks', () => {
  beforeAll(async () => {
    await world.forget(settings);
    await submitOver();
    await submitStopped();
    await submitLost();
  });

  test("show has the order service's own words, in one line without control characters, and all of them for scripts", async () => {
    const stdout = await done('show', 'stopped-1');
    expect(stdout).toMatch(
      /\n\nThe order service's words\n {2}20\d\d-\S+ \S+Z, Rejected, operation read-order, requestId \S+, httpStatus 403\n {4}\{"code":"PARTNER_BLOCKED",.*blocked\."\}\n\n/,
    );
    expect(stdout).not.toContain('\u001b');
    const { serviceWords } = JSON.parse((await run('--json', 'show', 'stopped-1')).stdout);
    expect(serviceWords).toEqual([expect.objectContaining({ httpStatus: 403, body: JSON.stringify(REFUSAL) })]);
    expect((await run('show', 'over')).stdout).not.toContain("The order service's words");
  });

  test('show without the right to read staging says which right is missing, and shows the rest', async () => {
    world.aws.addPerson('data-protection', world.outputs.DataProtectionPolicy ?? '');
    const stdout = outputOf(await as('data-protection', 'show', 'stopped-1'));
    expect(stdout).toContain(
      'They are not shown. AWS denied access: the credentials lack the permission s3:ListBucket',
    );
    expect(stdout).toContain('Timeline');
    expect(stdout).not.toContain('PARTNER_BLOCKED');
  });

  test('list finds orders by failure, by age and by what is stuck, sorts them and says how many more there are', async () => {
    expect((await listed('--failure', 'rejected')).sort()).toEqual(stopped);
    expect(await listed('--failure', 'Throttled')).toEqual([]);
    expect(await listed('--failure', 'throttled')).toEqual([]);
    expect(await listed('--failure', 'Lambda.ENILimitReachedException')).toEqual([]);
    expect((await listed('--stuck')).sort()).toEqual([...lost, ...stopped]);
    // Two days after the orders, whose clock is a virtual one.
    vi.useFakeTimers({ toFake: ['Date'], now: world.clock.now() + 2 * DAY });
    onTestFinished(() => void vi.useRealTimers());
    expect(await listed('--older-than', '1d')).toHaveLength(6);
    expect(await listed('--older-than', '3d')).toEqual([]);
    expect(await listed('--sort', 'age', '--limit', '1')).toEqual(['over']);
    expect(await listed('--sort', 'order', '--limit', '4')).toEqual([...lost, 'over', 'stopped-1']);
    const { stdout } = await run('list', '--limit', '3');
    expect(stdout).toMatch(/^Waiting for: 5 operator, .*: 1[.]\n\nORDER +WAITING FOR +STATUS +UNCHANGED +FAILURE\n/);
    expect(stdout).toContain('\n3 more orders: raise --limit, or narrow the list.\n\nWhat to do\n');
  });

  test('LOAN_ORDERS_STAGE=local means the laptop that runs, and each command names the options of all', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'laptop-'));
    onTestFinished(announceLaptop(world.aws.endpoint, { name: 'local' }, {}, folder));
    const environment = { LOAN_ORDERS_STAGE: 'local', TMPDIR: folder };
    expect((await loanOrders(['list', '--status', 'CLOSED'], environment)).stdout).toContain('over ');
    for (const command of ['list', 'retry', 'show', 'stage explain']) {
      const { stdout } = await loanOrders([...command.split(' '), '--help']);
      for (const option of ['--stage <stage>', '--local', '--json']) expect(stdout).toContain(option);
      expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
    }
  });

  test('show --problems has the failure, the next step and all that the service said', async () => {
    const { stdout } = await run('show', 'stopped-1', '--problems');
    expect(stdout).toMatch(/^Failure\n {2}Rejected at .*\n\nWhat to do\n(.*\n)*\nThe order service's words\n/);
    expect(stdout).not.toContain('Timeline');
    expect((await run('show', 'over', '--problems')).stdout).toBe('Nothing is wrong with order over.\n');
  });

  test('a retry of many orders is shown first, and does nothing without a word', async () => {
    const preview = await run('retry', '--failure', 'Rejected', '--preview');
    expect(preview.code).toBe(0);
    for (const orderRef of stopped) expect(preview.stdout).toContain(`${orderRef} `);
    expect(preview.stdout).toMatch(/retry would be done for 3 orders\.\nNothing was done\.\n$/);
    const unasked = await run('retry', '--failure', 'Rejected');
    expect(unasked).toMatchObject({ code: 1, stdout: '' });
    expect(unasked.stderr).toMatch(/^retry for 3 orders needs your confirmation, .*nothing was done\. .*--yes\.\n$/);
    for (const orderRef of stopped) expect(await world.record(orderRef)).toMatchObject({ generation: 1 });
  });

  test('the preview of a retry counts what would start, and says a refusal once for all orders that it fits', async () => {
    const { stdout } = await run('retry', '--all', '--preview');
    expect(stdout).toContain(
      'retry would be done for 3 of 5 orders. Not for:\n  2 orders: Order <ref> may or may not exist',
    );
    expect(stdout).toMatch(/\n {4}lost-\d, lost-\d\nNothing was done\.\n$/);
    expect((await run('list', '--waiting-for', 'operator')).stdout).toContain(
      `\n    loan-orders --endpoint ${world.aws.endpoint} resolve <ref> --order-id <orderId>\n`,
    );
  });
});

describe('what acts', () => {
  beforeEach(() => world.forget(settings));

  test('resolve takes many orders, shows what is compared, and asks before it believes that the service has none', async () => {
    await submitOver();
    await submitLost();
    const unasked = await run('resolve', ...lost, '--none');
    expect(unasked).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('needs your confirmation') });
    const preview = await run('resolve', 'lost-1', 'over', '--none', '--preview');
    expect(preview.stdout).toMatch(/^ORDER +CREATE BEGAN +WE GOT +THE SERVICE SAYS\nlost-1 .* does not have it\n/);
    expect(preview.stdout).toContain('the retry creates that order twice');
    expect(preview.stdout).toContain('resolve would be done for 1 of 2 orders. Not for:\n  over: ');
    const file = join(mkdtempSync(join(tmpdir(), 'resolve-')), 'answers.csv');
    writeFileSync(file, 'lost-1,one\nlost-2,one\n');
    expect((await run('resolve', '--file', file, '--yes')).stderr).toContain('Line 2 of the file repeats');
    await run('resolve', 'lost-1', '--order-id', 'found-meanwhile');
    writeFileSync(file, 'lost-1\r\n\nlost-2\n');
    const older = await run('resolve', '--file', file, '--none', '--preview');
    expect(older.stdout).toContain('An operator recorded that order lost-1 is found-meanwhile');
    await run('resolve', 'lost-1', '--none', '--yes');
    const recorded = await run('resolve', '--file', file, '--none', '--yes');
    expect(recorded).toMatchObject({ code: 0, stdout: '2 orders: 2 recorded.\n' });
    expect((await run('retry', ...lost, '--yes')).stdout).toBe('2 orders: 2 started.\n');
    for (const orderRef of lost) expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED' });
  });

  test('a retry of many orders starts each one, and an order that is refused stops none of the others', async () => {
    await submitOver();
    await submitStopped();
    const some = await run('retry', 'over', 'stopped-1', 'nobody-knows', '--yes', '--pace', '1000');
    expect(some.code).toBe(1);
    expect(some.stdout).toMatch(/^3 orders: 1 started, 2 not:\n {2}over: Order over is CLOSED, which is final/);
    expect(some.stdout).toContain('  nobody-knows: There is no order nobody-knows here');
    await world.aws.settle();
    const rest = await run('retry', '--failure', 'Rejected', '--yes', '--pace', '1000');
    expect(rest).toMatchObject({ code: 0, stdout: '2 orders: 2 started.\n' });
    for (const orderRef of stopped)
      expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED', generation: 2 });
    const again = await run('retry', '--failure', 'Rejected', '--yes');
    expect(again).toMatchObject({ code: 0, stdout: 'No matching orders: nothing was done.\n' });
  });

  test('an abort of many orders stops their executions, and one named order is answered as ever, waits for the operator, and is retried', async () => {
    Object.assign(world.simulator.settings, SIGNATURES_AT_ONCE);
    for (const orderRef of ['running-1', 'running-2', 'running-3']) await world.submitToSign(orderRef);
    expect(await run('abort', 'running-3')).toMatchObject({
      stdout: expect.stringMatching(/^Execution running-3-1 was stopped\./),
    });
    await world.aws.settle();
    const failure = { error: 'AbortedByOperator', cause: expect.stringContaining('loan-orders abort running-3') };
    expect(await world.record('running-3')).toMatchObject({ waitingFor: 'operator', failure });
    expect((await run('show', 'running-3')).stdout).toContain('An operator stopped the execution.');
    expect(await done('abort', '--all', '--yes', '--pace', '1000')).toBe('2 orders: 2 stopped.\n');
    expect(world.aws.describeRunning()).toEqual([]);
    expect(JSON.parse((await run('retry', 'running-3', '--json')).stdout)).toEqual({
      orderRef: 'running-3',
      generation: 2,
      execution: expect.stringMatching(/:running-3-2$/),
    });
  });
});
