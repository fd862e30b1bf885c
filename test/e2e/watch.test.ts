import { expect, test, vi } from 'vitest';
import { commandsIn, outputOf } from '../helpers/commands-in.ts';
import { NO_OFFERS, openWorld, SIGNATURES_AT_ONCE } from '../helpers/open-world.ts';

const world = await openWorld({ settings: { ...SIGNATURES_AT_ONCE, ...NO_OFFERS } });
const { run } = commandsIn(world);

test('watch prints a line for each change of each order, ends when all are over, and tells a script only the end', async () => {
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
