import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loanOrders, loanOrdersProcess } from '../helpers/command-line.ts';
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

test('rule --test refuses files of the wrong kind', async () => {
  const [rule, offers] = [folder.write('r.jsonata', '[]'), folder.write('o.json', '[]')];
  const bad = folder.write('bad.json', '{');
  const cases: [string[], string][] = [
    [['--test', folder.path('nowhere'), offers], 'does not exist: nothing was done'],
    [['--test', rule, bad], 'is not JSON.'],
    [['--test', rule, folder.write('object.json', '{}')], 'is not a list of offers'],
    [['--test', rule, offers, '--order', offers], 'has no property "order"'],
  ];
  for (const [args, sentence] of cases) {
    const { code, stdout, stderr } = await loanOrders(['rule', ...args]);
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining(sentence) });
  }
  const { code, stdout } = await loanOrders(['rule', '--test', rule, offers]);
  expect({ code, stdout }).toEqual({
    code: 3,
    stdout: 'A human must choose. The rule chose no offer.\n\nThe rule returned:\n  []\n',
  });
});

const OFFERS = JSON.stringify([
  { offerId: 'one', status: 'AVAILABLE', creditOptions: [{ code: 'A-12' }] },
  { offerId: 'two', status: 'REFUSED', creditOptions: [{ code: 'B-12' }] },
]);

test.each([
  ['[function($x) { $x }, {"offerId":"one","code":$sum}]', 'The rule did not return a list of { offerId, code }.'],
  ['{"offerId":"one","code":"B-12"}', 'The offer does not have this credit option.'],
  ['[{"offerId":"one","code":"A-12"},{"offerId":"two","code":"B-12"}]', 'This offer is not AVAILABLE.'],
])('rule --test shows what %s returned, and why a person must choose', async (rule, why) => {
  const [file, offers] = [folder.write('wrong.jsonata', rule), folder.write('listed.json', OFFERS)];
  const { code, stdout } = await loanOrders(['rule', '--test', file, offers]);
  expect({ code, stdout }).toEqual({ code: 3, stdout: expect.stringMatching(/^A human must choose\. The rule/) });
  expect(stdout).toContain(why);
  expect(stdout).toMatch(/\n\nThe rule returned:\n {2}.*"one"/s);
});

test('rule --test says where JSONata ended a rule, and shows what a rule returned that chooses', async () => {
  const offers = folder.write('listed.json', OFFERS);
  const broken = await loanOrders(['rule', '--test', folder.write('broken.jsonata', 'offers['), offers]);
  expect(broken.stdout).toMatch(
    /^A human must choose\. The rule failed \(JSONata \w+\)\.\nJSONata says: .+ \(at character 7 of the rule\)\n$/,
  );
  const rule = folder.write('good.jsonata', '{"offerId":"one","code":"A-12","why":"cheap"}');
  const good = await loanOrders(['rule', '--test', rule, offers]);
  expect(good).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^OFFER +CODE\none +A-12\n\nThe rule returned:\n/),
  });
  expect(good.stdout).toContain('"why": "cheap"');
});
