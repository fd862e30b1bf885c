import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loanOrdersProcess } from '../helpers/command-line.ts';
import { answering } from '../helpers/listening.ts';
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

test('the name of a file neither moves the cursor nor makes a line of its own', async () => {
  cpSync('examples/two-offers', folder.path('names'), { recursive: true });
  writeFileSync(folder.path('names/documents/b\u001b[2J\u009b31m\u202e\n.pdf'), 'a');
  const { stdout } = await loanOrdersProcess(['lint', folder.path('names')], {});
  expect(stdout).toMatch(/^.*no problem.*\n {2}documents\/b%E2%80%AE .pdf is not named.*\n$/);
});

test.each<[string, number, string]>([
  ['leads elsewhere', 307, ''],
  ['moves the cursor', 200, '{"fault":"up","url":"http://x\\u001b[2J"}'],
  ['is long', 200, `{"fault":"up",${' '.repeat(10_000_000)}"url":"http://127.0.0.1:1"}`],
])('what answers in place of the switches of a simulator, and %s, is not believed', async (_what, status, body) => {
  const switches = await answering(({ url }, response) => {
    const [code, text] = url === '/fault' ? [status, body] : [200, '{"fault":"up","url":"http://127.0.0.1:1"}'];
    response.writeHead(code, { location: '/' }).end(text);
  }, onTestFinished);
  expect(await loanOrdersProcess(['simulator', '--simulator', switches], {})).toMatchObject({ code: 1, stdout: '' });
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
