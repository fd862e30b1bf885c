import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterEach, expect, test, vi } from 'vitest';
import { inOne, type Said } from '../../console/page/messages/said.ts';
import { stageSettings } from '../../infra/stages.ts';
import { OFFERS_AT_ONCE, openWorld } from '../helpers/open-world.ts';
import { orderPackage, packageFolder } from '../helpers/packages.ts';
import { openFolder } from '../helpers/signer-files.ts';
import { stagesWith } from '../helpers/stage-files.ts';
import { cutIn, dropOnto, lookAt, openBrowser } from './browser.ts';

const world = await openWorld({ settings: OFFERS_AT_ONCE, ordersGoOn: true });
const { open, takeComplaints } = await openBrowser(world);
const folder = openFolder();
afterEach(() => void vi.unstubAllEnvs());

const TEXTS = {
  choose: ['Choose a folder', 'Выбрать папку'],
  many: ['Submit 20 packages', 'Подать пакеты: 20'],
  act: ['Submit', 'Подать'],
  stay: ['Left on the page: 3.', 'Остаются на странице: 3.'],
  twice: ['Another package has this reference.', 'Этот номер есть у другого пакета.'],
  strays: ['readme.txt', 'readme.txt'],
  submitted: ['Done: 20 of 20.', 'Сделано: 20 из 20.'],
  close: ['Close', 'Закрыть'],
  reference: ['Your reference for the order', 'Ваш номер заявки'],
  again: ['Correct and send again', 'Исправить и подать снова'],
  bank: ['The bank found: code: TAX_NUMBER_UNKNOWN', 'Банк нашёл: code: TAX_NUMBER_UNKNOWN'],
  final: ['it cannot be withdrawn here', 'отсюда отозвать нельзя'],
  alike: ['in the last two weeks', 'За две недели уже есть'],
  done: (orderRef: string) => [`Order ${orderRef} is submitted.`, `Заявка ${orderRef} подана.`],
  text: ['Text', 'Текст'],
} satisfies Said;
const LANGUAGES = ['en', 'ru'] as const;
const wordsIn = (language: 'en' | 'ru') => inOne(TEXTS, language === 'en' ? 0 : 1);

/** Counts what a person does. */
function countedClicks(page: Page) {
  let clicks = 0;
  const click = async (name: string | RegExp, role: 'link' | 'button' = 'button') => {
    await page.getByRole(role, { name, disabled: false }).last().click();
    clicks += 1;
  };
  const fill = async (field: Locator, text: string) => {
    await field.fill(text);
    clicks += 1;
  };
  return { click, fill, count: () => clicks };
}

test.each(LANGUAGES)(
  'twenty packages are submitted in one drop and two clicks, and those with problems stay (%s)',
  async (language) => {
    const words = wordsIn(language);
    const parent = `night-${language}`;
    const names = Array.from({ length: 20 }, (_, at) => `client-${language}-${at}`);
    const loan = { order: { company: { name: 'Twice LLC' }, loan: { amount: 7_000_000 } } };
    for (const [at, name] of names.entries())
      packageFolder(folder.path(`${parent}/${name}`), orderPackage(at < 2 ? loan : {}));
    packageFolder(
      folder.path(`${parent}/lacks-${language}`),
      orderPackage({ documents: ['charter.pdf', 'lacks.pdf'] }),
    );
    for (const office of ['north', 'south']) packageFolder(folder.path(`${parent}/${office}/same`), orderPackage());
    folder.write(`${parent}/readme.txt`, 'x');
    const page = await open('/submit', { locale: language });
    const { click, count } = countedClicks(page);
    await dropOnto(page, folder.path(parent));
    await click(words.many);
    await page.getByText(words.strays).first().waitFor();
    expect(await page.getByText(words.twice).count()).toBe(2);
    const dialog = page.getByRole('dialog');
    await dialog.getByText(words.stay).waitFor();
    expect(await dialog.getByText(words.alike).count()).toBe(2);
    await lookAt(page, `many-packages-${language}`);
    expect(await cutIn(page)).toEqual([]);
    await click(words.act);
    await dialog.getByText(words.submitted).waitFor({ timeout: 90_000 });
    expect(1 + count()).toBeLessThanOrEqual(4);
    await dialog.getByRole('button', { name: words.close }).click();
    for (const name of names) expect(await world.record(name)).toMatchObject({ orderRef: name });
    expect(await page.locator('.packages li').count()).toBe(3);
  },
);

test.each(LANGUAGES)(
  'a refused order is corrected where the bank says and sent again with four clicks (%s)',
  async (language) => {
    const words = wordsIn(language);
    const orderRef = `kama-${language}`;
    const labels = { company: { name: `Kama Foods ${language}` }, loan: { amount: 5_000_000 } };
    const order = { ...labels, questionnaire: { inn: '0000000000', amount: 5_000_000 } };
    await world.submit(orderRef, { order, scenario: 'validation-fails-at-once' });
    await world.untilEnd(orderRef);
    // The page's server has the clock of this machine.
    const at = new Date().toISOString();
    await world.rewrite(orderRef, { createdAt: at, changedAt: at, listedUnder: at.slice(0, 7) });
    const page = await open(`/orders/${orderRef}`, { locale: language });
    const { click, count, fill } = countedClicks(page);
    await click(words.again, 'link');
    const inn = page.getByRole('group', { name: 'questionnaire' }).locator('label').filter({ hasText: words.bank });
    await fill(inn.getByRole('textbox'), '7707083893');
    const sum = page.getByRole('group', { name: 'questionnaire' }).getByLabel('amount');
    await sum.clear();
    await sum.pressSequentially('4900000.50');
    // The scenario of the simulator is no member that a clerk knows.
    await page.getByLabel(words.text).check();
    const text = page.locator('textarea');
    const before = await text.inputValue();
    expect(JSON.parse(before)).toMatchObject({
      order: { ...order, questionnaire: { inn: '7707083893', amount: 4_900_000.5 } },
    });
    await text.fill(before.replace('"scenario":"validation-fails-at-once",', ''));
    expect(await page.getByLabel(words.reference).inputValue()).toBe(`${orderRef}-2`);
    await page.getByText(words.alike).waitFor();
    await lookAt(page, `submit-again-${language}`);
    await click(new RegExp(`${orderRef}-2$`));
    for (const said of [words.alike, words.final]) await page.getByRole('dialog').getByText(said).waitFor();
    await click(words.act);
    await page.getByText(words.done(`${orderRef}-2`)).waitFor();
    expect(count()).toBeLessThanOrEqual(5);
    expect(await world.untilEnd(`${orderRef}-2`)).toMatchObject({ status: 'CLOSED' });
  },
);

test('two clerks who correct one order: the second is told, and nothing of the first is replaced', async () => {
  const both = { scenario: 'validation-fails-at-once', documents: ['charter.pdf', 'other.pdf'] };
  await world.submitToEnd('both', both);
  const page = await open('/submit?again=both');
  await expect.poll(() => page.getByLabel('Your reference').inputValue()).toBe('both-2');
  await dropOnto(page, folder.write('charter.pdf', 'the corrected one'));
  await page.getByText('17 bytes').waitFor();
  page.on('dialog', (dialog) => void dialog.accept());
  await page.reload();
  await page.getByText('Drop these files again: documents/charter.pdf.').waitFor();
  await dropOnto(page, folder.write('other.pdf', 'the other one'));
  await page.getByText('13 bytes').waitFor();
  await page.reload();
  await page.getByText('Drop these files again: documents/charter.pdf, documents/other.pdf.').waitFor();
  await dropOnto(page, folder.path('charter.pdf'), folder.path('other.pdf'));
  await world.submitToEnd('both-2', both);
  const { click } = countedClicks(page);
  await click('Submit order both-2');
  await page.getByRole('dialog').getByText('There is an order both-2 already.').waitFor();
  await click('Submit');
  await page.getByText('Order both-2 was started from another package').waitFor();
});

test('a rejected package is corrected and sent again, and a file that changed since it was dropped is not', async () => {
  await world.put('wrong', 'documents/charter.pdf', 'x');
  await world.putAndSettle('wrong', 'order.json', { ...orderPackage(), singing: 'external' });
  const page = await open('/rejected');
  const { click } = countedClicks(page);
  await click('Correct and send again', 'link');
  await page.getByLabel('Text').check();
  await page.locator('textarea').fill(JSON.stringify(orderPackage()));
  await dropOnto(page, folder.write('charter.pdf', 'before'));
  await page.getByText('6 bytes').waitFor();
  // A browser compares seconds.
  utimesSync(folder.write('charter.pdf', 'changed since'), 1, 1);
  await click('Submit order wrong');
  await click('Submit');
  await page.getByText('a file has changed since it was dropped').waitFor();
  await page.keyboard.press('Escape');
  await dropOnto(page, folder.path('charter.pdf'));
  await page.getByText('13 bytes').waitFor();
  await click('Submit order wrong');
  await click('Submit');
  await page.getByText('Order wrong is submitted.').waitFor();
  expect(await takeComplaints()).toEqual([expect.stringContaining('ERR_UPLOAD_FILE_CHANGED')]);
});

test('a member that a schema does not name keeps its type, in each package and each element', async () => {
  const order = { codes: [1, '7707083893'], sum: 5_000_000 };
  packageFolder(folder.path('types/number'), orderPackage({ order }));
  packageFolder(folder.path('types/text'), orderPackage({ order: { ...order, sum: '5 000 000' } }));
  const page = await open('/submit');
  await dropOnto(page, folder.path('types'));
  const { click } = countedClicks(page);
  await click('text');
  await click('number');
  await page.getByLabel('sum').fill('4,900,000');
  await page.getByText('Not a clear number.').waitFor();
  await page.getByLabel('sum').fill('4900000');
  const codes = page.getByRole('group', { name: 'codes' });
  await codes.getByRole('button', { name: 'Remove' }).first().click();
  await codes.getByRole('textbox').fill('7707083894');
  await page.getByLabel('Text').check();
  const text = JSON.parse(await page.locator('textarea').inputValue());
  expect(text.order).toEqual({ codes: ['7707083894'], sum: 4_900_000 });
});

test('files are renamed, named and removed, and order.json is written as a form by the schema of the stage', async () => {
  const { name: _name, ...settings } = stageSettings('local');
  const address = { type: 'object', required: ['city'], properties: { city: { type: 'string' } } };
  const schema = {
    type: 'object',
    required: ['company', 'amount'],
    $defs: { address },
    properties: {
      company: {
        type: 'object',
        required: ['name', 'address'],
        properties: {
          name: { type: 'string', title: 'Name of the company' },
          address: { $ref: '#/$defs/address' },
          parent: { $ref: '#' },
        },
      },
      amount: { type: 'number', minimum: 1 },
      purpose: { enum: ['TURNOVER', 'INVESTMENT'] },
    },
  };
  const files = { 'local.json': { ...settings, orderSchema: 'order.json' }, 'order.json': schema };
  vi.stubEnv('LOAN_ORDERS_STAGES', stagesWith(files));
  for (const name of ['Устав.pdf', 'extra.txt']) writeFileSync(join(folder.path('.'), name), name);
  const page = await open('/submit');
  await dropOnto(page, folder.path('Устав.pdf'), folder.path('extra.txt'));
  const { click } = countedClicks(page);
  // Files that are read slowly, and then again, must not bring back an earlier text.
  await page.evaluate(`{
    const read = Blob.prototype.arrayBuffer;
    Blob.prototype.arrayBuffer = function () {
      return new Promise((done) => setTimeout(() => done(read.call(this)), 1_000));
    };
  }`);
  await click('Write order.json here');
  await page.getByLabel('Your reference').fill('by-form');
  await page.getByLabel('Name of the company').fill('Vector LLC');
  await page.getByLabel('city').fill('Kazan');
  await page.getByLabel('amount').fill('1 234 567,80');
  await page.getByLabel('purpose').selectOption('INVESTMENT');
  await page.locator('.files li').filter({ hasText: 'extra.txt' }).getByRole('button', { name: 'Remove' }).click();
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.message());
    void dialog.accept('order.json');
  });
  await page.locator('.files li').filter({ hasText: 'Устав.pdf' }).getByRole('button', { name: 'Rename' }).click();
  await expect.poll(() => asked).toEqual(['Name of the file', 'There is a file order.json already.']);
  await click('Name it in order.json');
  for (const name of ['entityId', 'sourceEntityId', 'docType']) await page.getByLabel(name, { exact: true }).fill(name);
  await click('Rename the file to documents/Ustav.pdf');
  await lookAt(page, 'submit-form');
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await cutIn(page)).toEqual([]);
  }
  await page.getByLabel('Text').check();
  expect(await page.locator('textarea').inputValue()).toContain('"amount": 1234567.80,');
  await click('Submit order by-form');
  await click('Submit');
  await page.getByText('Order by-form is submitted.').waitFor();
  expect(await world.record('by-form')).toMatchObject({ documents: [{ file: 'documents/Ustav.pdf' }] });
});
