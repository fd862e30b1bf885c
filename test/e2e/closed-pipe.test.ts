import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';

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
