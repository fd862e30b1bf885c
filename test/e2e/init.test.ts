import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { orderSchema } from '../../commands/init/order-schema.ts';
import { quoted } from '../../commands/shared/text.ts';
import { loanOrders } from '../helpers/command-line.ts';
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
  expect(await loanOrders(['init', folder.path('pipe')])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^init asks questions, so it needs a terminal: nothing was written\.[^\n]+\n$/),
  });
  expect(existsSync(folder.path('pipe'))).toBe(false);
});
