import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loanOrdersProcess } from '../helpers/command-line.ts';
import { openFolder } from '../helpers/signer-files.ts';
import { hasTerminal, onTerminal } from '../helpers/terminal.ts';

const folder = openFolder();
const RED = '\u001b[31m';
const args = ['lint', folder.path('bad')];
mkdirSync(folder.path('bad'));
writeFileSync(folder.path('bad/order.json'), '{}');

test('in a pipe nothing has a colour', async () => {
  const { stdout } = await loanOrdersProcess(args, { HOME: folder.path('.') });
  expect(stdout).toContain(' problems:');
  expect(stdout).not.toContain('\u001b');
});

describe.runIf(hasTerminal)('on a terminal', () => {
  test('problems are red', async () => {
    const terminal = onTerminal(args);
    expect(await terminal.ended).toBe(1);
    expect(terminal.raw()).toContain(RED);
  });

  test('NO_COLOR turns colours off', async () => {
    const terminal = onTerminal(args, { NO_COLOR: '1' });
    expect(await terminal.ended).toBe(1);
    expect(terminal.raw()).not.toContain('\u001b');
    expect(terminal.shown()).toContain(' problems:');
  });
});

test.each(['bin/loan-orders.ts', 'laptop/main.ts'])(
  '%s ends quietly when the reader has closed the pipe',
  async (script) => {
    const run = spawn(process.execPath, [script, '--help']);
    let errors = '';
    run.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    // Before the process writes anything.
    run.stdout.destroy();
    expect([await once(run, 'close'), errors]).toEqual([[0, null], '']);
  },
);
