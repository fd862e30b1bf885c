import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { orderSchema } from '../../commands/init/order-schema.ts';
import { quoted } from '../../commands/shared/text.ts';
import { loanOrders, loanOrdersProcess } from '../helpers/command-line.ts';
import { outputOf, refusalOf } from '../helpers/commands-in.ts';
import { answering } from '../helpers/listening.ts';
import { openFolder } from '../helpers/signer-files.ts';
import { hasTerminal, keys, onTerminal, type TerminalRun } from '../helpers/terminal.ts';

const folder = openFolder();
const data = folder.write('data.json', '{"company":{"inn":"7707083893"}}');

function withDocument(name: string): string {
  const path = folder.path(name);
  mkdirSync(join(path, 'documents'), { recursive: true });
  writeFileSync(join(path, 'documents/charter.pdf'), 'a charter');
  return path;
}

async function answerAll(run: TerminalRun): Promise<void> {
  await run.answer('A JSON file with the order data', data, keys.enter);
  await run.answer('entityId', 'company-1', keys.enter);
  await run.answer('sourceEntityId', 'crm-10045', keys.enter);
  await run.answer('docType', 'CHARTER', keys.enter);
  await run.answer('Who signs', keys.down, keys.enter);
}

describe.skipIf(!hasTerminal)('init on a terminal', () => {
  test('refuses links, which may lead to any file', async () => {
    const path = withDocument('linked');
    symlinkSync(data, join(path, 'documents/data.json'));
    const run = onTerminal(['init', path]);
    expect(await run.ended, run.shown()).toBe(1);
    expect(run.shown()).toContain('documents/data.json');
    expect(readdirSync(path)).toEqual(['documents']);
  });

  test('asks for a package that lint accepts', async () => {
    const path = withDocument('asked');
    // No document may have this name.
    mkdirSync(join(path, 'documents/empty folder'));
    mkdirSync(join(path, 'documents/scans'));
    const run = onTerminal(['init', path]);
    await answerAll(run);
    await run.answer('Who chooses among the offers', keys.down, keys.enter);
    expect(await run.ended, run.shown()).toBe(0);
    expect(run.shown()).toContain(`Wrote ${join(path, 'order.json')}.`);
    expect(run.shown()).toContain(`"loan-orders lint ${quoted(path)}"`);
    expect(JSON.parse(readFileSync(join(path, 'order.json'), 'utf8'))).toEqual({
      $schema: './.order.schema.json',
      order: { company: { inn: '7707083893' } },
      documents: [
        { file: 'documents/charter.pdf', entityId: 'company-1', sourceEntityId: 'crm-10045', docType: 'CHARTER' },
      ],
      signing: 'external',
      offers: { choose: 'manual' },
    });
    expect(JSON.parse(readFileSync(join(path, '.order.schema.json'), 'utf8'))).toEqual(orderSchema());
    expect(await loanOrders(['lint', path])).toMatchObject({ code: 0, stderr: '' });
  });

  test('copies files under names that a package may have, keeps them beside, and keeps every digit of the order data', async () => {
    const path = withDocument('copied');
    const numbers = '{"account": 40702810900000012345,\n "amount": 5000000.10}';
    for (const name of ['Баланс 2025.pdf', 'Balans-2025.pdf']) writeFileSync(join(path, 'documents', name), name);
    const run = onTerminal(['init', path]);
    await run.answer('documents/Баланс 2025.pdf as documents/Balans-2025-2.pdf', keys.yes);
    await run.answer('A JSON file with the order data', folder.write('digits.json', `${numbers}\n`), keys.enter);
    for (const answers of [1, 2, 3])
      for (const question of ['entityId', 'sourceEntityId', 'docType'])
        await run.answer(question, `${answers}`, keys.enter);
    await run.answer('Who signs', keys.enter);
    await run.answer('Who chooses', keys.enter);
    expect(await run.ended, run.shown()).toBe(0);
    expect(readFileSync(join(path, 'documents/Balans-2025-2.pdf'), 'utf8')).toBe('Баланс 2025.pdf');
    expect(readFileSync(join(path, '.originals/documents/Баланс 2025.pdf'), 'utf8')).toBe('Баланс 2025.pdf');
    const written = readFileSync(join(path, 'order.json'), 'utf8');
    expect(written).toContain('"account": 40702810900000012345');
    expect(written).toContain('"amount": 5000000.10');
    expect(JSON.parse(written).order).toEqual(JSON.parse(numbers));
    expect(await loanOrders(['lint', path])).toMatchObject({ code: 0, stderr: '' });
  });

  test('names the files that no package may have, and writes nothing without a yes', async () => {
    const path = withDocument('names');
    writeFileSync(join(path, 'documents/баланс.pdf'), 'a balance');
    const run = onTerminal(['init', path]);
    await run.answer('documents/баланс.pdf as documents/balans.pdf', keys.enter);
    expect(await run.ended, run.shown()).toBe(1);
    expect(run.shown()).toMatch(/Nothing was written/);
    expect(readdirSync(path)).toEqual(['documents']);
  });

  test('leaves everything as it was when it is ended, at the first question or the last, and makes no folder', async () => {
    const [there, never] = [withDocument('ended'), folder.path('never')];
    const first = onTerminal(['init', never]);
    await first.answer('A JSON file with the order data', keys.interrupt);
    const last = onTerminal(['init', there]);
    await answerAll(last);
    await last.answer('Who chooses among the offers', keys.interrupt);
    expect([await first.ended, await last.ended]).toEqual([130, 130]);
    expect(last.shown()).toContain('Nothing was written.');
    expect([existsSync(never), readdirSync(there)]).toEqual([false, ['documents']]);
  });

  test('never replaces an order.json, even one that comes while it asks', async () => {
    const path = withDocument('there');
    const run = onTerminal(['init', path]);
    await answerAll(run);
    writeFileSync(join(path, 'order.json'), 'of somebody else');
    await run.answer('Who chooses among the offers', keys.enter);
    expect(await run.ended).toBe(1);
    expect(run.shown()).toContain('has an order.json already, which was left as it is.');
    const again = onTerminal(['init', path]);
    expect(await again.ended).toBe(1);
    expect(again.shown()).toContain('has an order.json already, which was left as it is.');
    expect(readFileSync(join(path, 'order.json'), 'utf8')).toBe('of somebody else');
  });
});

test.skipIf(!hasTerminal)('init refuses a file in place of a folder with one sentence', async () => {
  const run = onTerminal(['init', data]);
  expect(await run.ended).toBe(1);
  expect(run.shown()).toContain('cannot be read as a folder (ENOTDIR): nothing was written.');
});

test('init without a terminal is refused with one sentence', async () => {
  const said = refusalOf(await loanOrders(['init', folder.path('pipe')]));
  expect(said).toMatch(/^init asks questions, so it needs a terminal: nothing was written\.[^\n]+\n$/);
  expect(existsSync(folder.path('pipe'))).toBe(false);
});

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
  cpSync('examples/two-offers', folder.path('odd-names'), { recursive: true });
  writeFileSync(folder.path('odd-names/documents/b\u001b[2J\u009b31m\u202e\n.pdf'), 'a');
  const { stdout } = await loanOrdersProcess(['lint', folder.path('odd-names')], {});
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
  expect(outputOf(good)).toMatch(/^OFFER +CODE\none +A-12\n\nThe rule returned:\n/);
  expect(good.stdout).toContain('"why": "cheap"');
});
