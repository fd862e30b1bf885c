import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { showWaiting } from '../../../local/show-waiting.ts';

/** Returns what is written while work is running. The work takes two or three times as long as the first output. */
async function shown(isTTY: boolean, work: Promise<string>) {
  const written: string[] = [];
  const terminal = { isTTY, write: (text: string | Uint8Array) => written.push(String(text)) > 0 };
  const outcome = await showWaiting(work, terminal).catch((error: Error) => error.message);
  return { outcome, written };
}
const failing = async () => {
  await setTimeout(250);
  throw new Error('It failed.');
};

test('a terminal shows the seconds on one line, which is cleared when the work is done', async () => {
  const { outcome, written } = await shown(true, setTimeout(250, 'done'));
  expect(outcome).toBe('done');
  expect(written.length).toBeGreaterThan(1);
  for (const text of written.slice(0, -1)) expect(text).toMatch(/^\r {2}\d+\.\d s$/);
  expect(written.at(-1)).toBe('\r\x1b[K');
});

test('a terminal clears the line with the seconds when the work fails', async () => {
  const { outcome, written } = await shown(true, failing());
  expect([outcome, written.at(-1)]).toEqual(['It failed.', '\r\x1b[K']);
});

test('nothing is shown if the output is not a terminal', async () => {
  expect(await shown(false, setTimeout(250, 'done'))).toEqual({ outcome: 'done', written: [] });
});
