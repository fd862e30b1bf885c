import { afterEach, expect, test } from 'vitest';
import { changePause, commandsIn, REASON } from '../helpers/commands-in.ts';
import { openWorld, SIGNATURES_AT_ONCE } from '../helpers/open-world.ts';

const world = await openWorld({ settings: SIGNATURES_AT_ONCE });
world.aws.addPerson('AKIADESK', world.outputs.CreditDeskPolicy ?? '');

const { as: runAs, done, run } = commandsIn(world);
afterEach(() => changePause(world, 'resume'));

const told = new RegExp(
  `^Stage local is paused since 20\\d\\d-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\dZ by local: ${REASON}\\n`,
);

test('pause and resume say what they did, and change nothing when they are repeated', async () => {
  expect((await run('resume')).stdout).toBe('Stage local is not paused. Nothing was changed.\n');
  const first = await done('pause', '--reason', REASON);
  expect(first).toMatch(/^Stage local is paused: no function calls the order service any more\./);
  const again = await done('pause', '--reason', 'Another reason', '--json');
  expect(JSON.parse(again)).toMatchObject({ stage: 'local', isPaused: true, by: 'local', reason: REASON });
  expect(await done('resume')).toMatch(
    /^Stage local is resumed\. It was paused for \d+ s\.\nNo order waits for the order service, so none was held\.\n$/,
  );
  expect((await run('resume')).stdout).toBe('Stage local is not paused. Nothing was changed.\n');
  const timeline = (await world.items('#stage')).map(({ what, by, reason }) => ({ what, by, reason }));
  expect(timeline).toContainEqual({ what: 'Paused', by: 'local', reason: REASON });
  expect(timeline).toContainEqual({ what: 'Resumed', by: 'local', reason: undefined });
});

test('while the stage is paused, every command that calls AWS says so once, also one that refuses', async () => {
  await world.submitToSign('told');
  await run('pause', '--reason', REASON);
  const shown = await run('show', 'told');
  expect(shown.stderr).toMatch(told);
  expect(shown.stdout).toMatch(/^Stage +paused since .* by local: Maintenance of the order service$/m);
  expect(JSON.parse((await run('show', 'told', '--json')).stdout)).toMatchObject({ stagePaused: { reason: REASON } });
  for (const args of [['list'], ['hold', 'told'], ['offers', 'told'], ['show', 'unknown']])
    expect((await run(...args)).stderr, args.join(' ')).toMatch(told);
  expect((await runAs('AKIADESK', 'offers', 'unknown')).stderr).toMatch(told);
  expect((await run('lint', 'examples/two-offers')).stderr).toBe('');
  // With --json the line is JSON on standard error, and standard output stays as it is.
  const { stdout, stderr } = await run('list', '--json');
  expect(JSON.parse(stdout)).toEqual(expect.any(Array));
  const paused = { stage: 'local', since: expect.any(String), by: 'local', reason: REASON };
  expect(JSON.parse(stderr)).toEqual({ paused });
});
