import { beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { renamedRelease } from '../../helpers/assemblies.ts';
import { commandsIn } from '../../helpers/commands-in.ts';
import { openWorld, rareSweeps, submit } from '../../helpers/open-world.ts';
import { waitsForSignatures } from '../../helpers/signatures.ts';

const MINUTE = 60_000;
const NEXT = 'feedfacefeedface';

const settings = { processingSeconds: 3_600, pollAfterSeconds: 240 };
/** The stage holds releases back: the sweep marks nothing. */
const world = await openWorld({
  isNew: true,
  ordersGoOn: true,
  environment: { HOLD_RELEASES: 'true' },
  settings,
  deliveryWrapper: rareSweeps(),
});
const first = world.aws.outputs['LoanOrders-local']?.Release ?? '';

const { run } = commandsIn(world);
const migrate = (...args: string[]) => run('migrate', ...args);

let next = '';
beforeAll(() => {
  next = renamedRelease(first, NEXT);
});

/** Two orders in flight in the release before the deployed one. */
beforeEach(async () => {
  await world.forget(settings);
  await world.aws.deploy(inject('assemblyDirectory'));
  world.aws.startSchedules();
  for (const orderRef of ['works-1', 'works-2']) {
    await submit(world, orderRef);
    await world.until(orderRef, ({ status }) => status === 'IN_WORK', { signing: false });
  }
  await world.aws.deploy(next);
});

test('a stage that holds releases back leaves orders in flight in their release', async () => {
  await world.pass(30 * MINUTE);
  expect(await world.record('works-1')).toMatchObject({ release: first, generation: 1 });
});

test('migrate --preview says what would happen and changes nothing', async () => {
  const { code, stdout } = await migrate('--all', '--preview');
  expect(code).toBe(0);
  expect(stdout).toMatch(/works-1 +[0-9a-f]{16} +At its next read/);
  expect(stdout).toContain(`2 of 2 orders would be marked for release ${NEXT}.\nNothing was done.\n`);
  expect((await world.record('works-1'))?.moveTo).toBeUndefined();
});

test('migrate moves a named order at its next read, and no other one', async () => {
  const { code, stdout } = await migrate('works-1');
  expect(code).toBe(0);
  expect(stdout).toMatch(`Order works-1 was marked for release ${NEXT}. It continues there: at its next read`);
  expect((await migrate('works-1')).stdout).toContain('It is marked already. At its next read');
  const before = world.clock.now();
  await world.until('works-1', ({ release }) => release === NEXT, { signing: false });
  expect(world.clock.now() - before).toBeLessThan(5 * MINUTE);
  expect(await world.record('works-2')).toMatchObject({ release: first, generation: 1 });
  expect((await migrate('works-1')).stdout).toContain('It runs in this release.');
});

test('migrate --all does nothing without a word, and then moves the rest', async () => {
  await migrate('works-1');
  await world.until('works-1', ({ release }) => release === NEXT, { signing: false });
  const unasked = await migrate('--all');
  expect(unasked).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^migrate for 2 orders needs your confirmation/),
  });
  expect((await world.record('works-2'))?.moveTo).toBeUndefined();
  const { code, stdout } = await migrate('--all', '--yes', '--pace', '1000');
  expect({ code, stdout }).toEqual({ code: 0, stdout: '2 orders: 1 marked, 1 with nothing to do.\n' });
  await world.until('works-2', ({ release }) => release === NEXT, { signing: false });
});

test('migrate says when orders continue that wait for people or have failed', async () => {
  await world.until('works-1', waitsForSignatures, { signing: false });
  await world.abort('works-2');
  const { stdout } = await migrate('--all', '--preview');
  expect(stdout).toMatch(/works-1 .*When the signatures are there, or after waitRecheckHours/);
  expect(stdout).toMatch(/works-2 .*When it is retried/);
});

test('migrate takes the orders that the filters mean, and answers scripts in JSON', async () => {
  const preview = async (...args: string[]) => {
    const { code, stdout } = await migrate(...args, '--preview', '--json');
    expect(code).toBe(0);
    return (JSON.parse(stdout).orders as { orderRef: string; action: string }[]).map(({ orderRef, action }) => [
      orderRef,
      action,
    ]);
  };
  await world.abort('works-2');
  const { failure } = (await world.record('works-2')) ?? {};
  expect(await preview('--failure', failure?.error ?? '')).toEqual([['works-2', 'none']]);
  expect(await preview('--status', 'CLOSED')).toEqual([]);
  expect(await preview('works-2', 'nobody')).toEqual([
    ['works-2', 'none'],
    ['nobody', 'none'],
  ]);
});

test('an order that is refused keeps migrate from none of the others', async () => {
  const { code, stdout } = await migrate('nobody', 'works-1', '--yes', '--pace', '1000');
  expect(code).toBe(1);
  expect(stdout).toMatch(/^2 orders: 1 marked, 1 not:\n {2}nobody: There is no order nobody here/);
});

test('migrate refuses an order that is over or unknown, and a command line without orders', async () => {
  world.simulator.settings.processingSeconds = 1;
  await submit(world, 'over', { scenario: 'validation-fails-at-once' });
  await world.untilEnd('over');
  expect(await migrate('over')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('which is final: it was not marked'),
  });
  expect(await migrate('nobody')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is no order nobody'),
  });
  expect(await migrate()).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Give either orderRefs, or --all'),
  });
  expect(await migrate('works-1', '--all')).toMatchObject({ code: 2 });
});
