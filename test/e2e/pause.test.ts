import { afterEach, expect, test, vi } from 'vitest';
import { changePause, commandsIn, outputOf, REASON } from '../helpers/commands-in.ts';
import { NO_OFFERS, openWorld, SIGNATURES_AT_ONCE } from '../helpers/open-world.ts';

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

test('watch prints a line for each change of each order, ends when all are over, and tells a script only the end', async () => {
  Object.assign(world.simulator.settings, NO_OFFERS);
  await world.submit('refused', { scenario: 'validation-fails-at-once' });
  await world.submitToSign('watched');
  let looks = 0;
  world.wrappers.requestWrapper = async ({ operation }) => {
    if (operation === 'Query') looks += 1;
    return undefined;
  };
  const watching = run('watch', 'watched', 'refused', '--every', '0.1');
  // The command looks before time goes on.
  await vi.waitFor(() => expect(looks).toBeGreaterThan(3), 20_000);
  await world.untilEnd('watched');
  await world.untilEnd('refused');
  const stdout = outputOf(await watching);
  const lines = stdout.trimEnd().split('\n');
  expect(lines[0]).toMatch(/^\S+ \S+Z {2}watched {2}WAITING_FOR_SIGNATURE, waits for signatures$/);
  expect(lines.filter((line) => line.includes('refused')).at(-1)).toContain(
    'VALIDATION_FAILED, over: ValidationFailed',
  );
  expect(lines.at(-1)).toMatch(/watched {2}CLOSED, over$/);
  expect(new Set(lines).size).toBe(lines.length);
  const forScript = JSON.parse((await run('--json', 'watch', 'watched')).stdout);
  expect(forScript).toEqual([{ orderRef: 'watched', status: 'CLOSED', waitingFor: 'nobody' }]);
});
