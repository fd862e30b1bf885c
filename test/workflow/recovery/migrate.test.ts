import { beforeAll, expect, test } from 'vitest';
import { commandsIn, inItsTime, outputOf, refusalOf } from '../../helpers/commands-in.ts';
import { openWorld, rareSweeps } from '../../helpers/open-world.ts';
import { renamedRelease } from '../../helpers/releases.ts';

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

const preview = async (...args: string[]) => {
  const printed = outputOf(await migrate(...args, '--preview', '--json'));
  const { orders } = JSON.parse(printed) as { orders: { orderRef: string; action: string; when: string }[] };
  return orders.map(({ orderRef, action, when }) => `${orderRef}: ${action}, ${when}`).sort();
};

beforeAll(async () => {
  const next = renamedRelease(first, NEXT);
  world.aws.startSchedules();
  world.simulator.settings.processingSeconds = 1;
  await world.submitToEnd('over', { scenario: 'validation-fails-at-once' });
  await world.submitToSign('signs');
  Object.assign(world.simulator.settings, settings);
  const works = ['works-1', 'works-2', 'stopped'];
  for (const orderRef of works) await world.submit(orderRef);
  for (const orderRef of works) await world.until(orderRef, ({ status }) => status === 'IN_WORK', { signing: false });
  await world.abort('stopped');
  await world.aws.deploy(next);
});

test('a stage that holds releases back leaves orders in their release until migrate moves them, each at its next read', async () => {
  await world.pass(30 * MINUTE);
  const stdout = outputOf(await migrate('--all', '--preview'));
  expect(stdout).toMatch(/works-1 +[0-9a-f]{16} +At its next read/);
  expect(stdout).toContain(`3 of 4 orders would be marked for release ${NEXT}.\nNothing was done.\n`);
  expect(refusalOf(await migrate('--all'))).toMatch(/^migrate for 4 orders needs your confirmation/);
  expect(await world.record('works-1')).toMatchObject({ release: first, generation: 1 });
  expect(await world.record('works-1')).not.toHaveProperty('moveTo');

  const marked = `Order works-1 was marked for release ${NEXT}. It continues there: at its next read`;
  expect((await migrate('works-1')).stdout).toMatch(marked);
  expect((await migrate('works-1')).stdout).toContain('It is marked already. At its next read');
  const before = world.clock.now();
  await world.until('works-1', ({ release }) => release === NEXT, { signing: false });
  expect(world.clock.now() - before).toBeLessThan(5 * MINUTE);
  expect(await world.record('works-2')).toMatchObject({ release: first, generation: 1 });
  expect((await migrate('works-1')).stdout).toContain('It runs in this release.');

  const some = await migrate('nobody', 'works-1', 'works-2', '--yes', '--pace', '1000');
  expect(some.code).toBe(1);
  expect(some.stdout).toMatch(
    /^3 orders: 1 marked, 1 with nothing to do, 1 not:\n {2}nobody: There is no order nobody here/,
  );
  expect(await migrate('--all', '--yes', '--pace', '1000')).toMatchObject({
    code: 0,
    stdout: '4 orders: 1 marked, 3 with nothing to do.\n',
  });
  await world.until('works-2', ({ release }) => release === NEXT, { signing: false });
});

test('migrate takes the orders that the filters mean, and says when each continues', async () => {
  const signs = expect.stringMatching(
    /^signs: (mark, |none, It is marked already. )When the signatures are there, or after/,
  );
  const stopped = 'stopped: none, When it is retried.';
  expect(await preview('--all')).toEqual(expect.arrayContaining([signs, stopped]));
  expect(await preview('--status', 'WAITING_FOR_SIGNATURE')).toEqual([signs]);
  expect(await preview('--failure', 'AbortedByOperator')).toEqual([stopped]);
  expect(await preview('--status', 'CLOSED')).toEqual([]);
  expect(await preview('stopped', 'nobody')).toEqual(['nobody: none, Never: there is no such order.', stopped]);
});

test('versions lists and deletes those that no open order names, 14 days after the last of their orders ended', async () => {
  const list = async (...args: string[]) =>
    JSON.parse(outputOf(await run('versions', '--json', ...args))).versions as Record<
      'FunctionName' | 'release',
      string
    >[];
  const later = (days: number) => inItsTime(world, () => list(), days * 86_400_000);
  expect(await later(15)).toEqual([]);
  outputOf(await run('retry', 'stopped'));
  for (const orderRef of ['stopped', 'signs'])
    await world.until(orderRef, ({ release }) => release === NEXT, { signing: false });
  const over = await world.record('over');
  await world.rewrite('over', {
    changedAt: new Date(Date.parse(over?.changedAt ?? '') + 2 * 86_400_000).toISOString(),
    listedUnder: undefined, // As an older release recorded its end.
  });
  expect(await later(15)).toEqual([]);
  await world.rewrite('over', { release: NEXT });
  expect(await later(13)).toEqual([]);
  const twoDelete = () => Promise.all([list('--delete'), list('--delete')]);
  const [old] = await inItsTime(world, twoDelete, 15 * 86_400_000);
  expect(new Set(old.map(({ release }) => release))).toEqual(new Set([first]));
  expect(old.map(({ FunctionName }) => FunctionName)).toContain('loan-orders-local-await-signatures');
  expect(await later(15)).toEqual([]);
  expect(await world.until('works-2', ({ waitingFor }) => waitingFor !== 'service')).toMatchObject({ release: NEXT });
});
