import { expect, test } from 'vitest';
import { loanOrders } from '../helpers/command-line.ts';
import { changeRate, closeAtNextRead, untilOffers } from '../helpers/offers.ts';
import { OFFERS_AT_ONCE, openWorld } from '../helpers/open-world.ts';
import { expectFits, lookAt, openBrowser } from './browser.ts';

const TERMS = [12, 24, 36, 48];
const BANKS = Array.from({ length: 12 }, (_, at) => ({
  bankName: `The ${at + 1}th Interregional Bank for Reconstruction_and_Development_of_Enterprises`,
  status: 'AVAILABLE' as const,
  creditOptions: TERMS.map((termMonths) => ({
    code: `WORKING_CAPITAL_LINE_${at + 1}_${termMonths}`,
    amount: 1_000_000 * (12 - at),
    termMonths,
    rate: 18.5,
  })),
}));

const world = await openWorld({ settings: { ...OFFERS_AT_ONCE, offers: BANKS, bankSeconds: 60 }, ordersGoOn: true });
const { open, takeComplaints } = await openBrowser(world);

test('twelve offers with long names fit into pages of two widths in both languages', async () => {
  await untilOffers(world, 'wide');
  const page = await open('/orders/wide');
  await expectFits(page, { ru: 'Предложения', en: 'Offers' });
  await lookAt(page, 'offers-390');
});

test('the last look shows all that is taken, nothing that a bank has confirmed meanwhile, and that it is final', async () => {
  const { offers } = await untilOffers(world, 'last-look');
  const page = await open('/orders/last-look');
  await page.getByText(/As the bank said .+, asked again /).waitFor();
  await page.getByLabel('WORKING_CAPITAL_LINE_2_36').check();
  await page.getByLabel('WORKING_CAPITAL_LINE_1_12').check();
  const first = offers.find(({ codes }) => codes.includes('WORKING_CAPITAL_LINE_1_12'));
  const args = ['--offer', first?.offerId ?? '', '--code', 'WORKING_CAPITAL_LINE_1_12'];
  await loanOrders(['--local', '--endpoint', world.aws.endpoint, 'confirm', 'last-look', ...args]);
  await world.until('last-look', ({ status }) => status === 'OFFERS_APPROVED');
  await page.locator('tr.taken', { hasText: 'WORKING_CAPITAL_LINE_1_12' }).getByText('confirmed').waitFor();
  await page.getByRole('button', { name: 'Borrow 11,000,000 RUB from 1 bank…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('cannot be undone').waitFor();
  const said = (await dialog.textContent()) ?? '';
  for (const words of ['WORKING_CAPITAL_LINE_2_36', 'The 2th', '11,000,000', '36', '18.5'])
    expect(said).toContain(words);
  expect(said).not.toContain('WORKING_CAPITAL_LINE_1_12');
  await lookAt(page, 'last-look');
});

test('offers that changed since the last look are said in both languages, nothing is sent, and picks that still hold stay', async () => {
  const { order, choices } = await untilOffers(world, 'changed');
  const page = await open('/orders/changed');
  const dialog = page.getByRole('dialog');
  await page.getByLabel('WORKING_CAPITAL_LINE_1_12').check();
  await page.getByLabel('WORKING_CAPITAL_LINE_2_36').check();
  await page.getByRole('button', { name: 'Borrow 23,000,000 RUB from 2 banks…' }).click();
  await changeRate(world, 'changed', order, 21.5);
  const borrow = dialog.getByRole('button', { name: /^Borrow/ });
  await borrow.click();
  await dialog.getByText('Nothing was sent').waitFor();
  await dialog.getByText('WORKING_CAPITAL_LINE_1_12 Rate a year: 18.5 → 21.5').waitFor();
  await lookAt(page, 'offers-changed');
  expect(await borrow.isDisabled()).toBe(true);
  expect(await world.record('changed')).toMatchObject({ decision: { version: 0 } });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.locator('.offers').getByText('21.5 %').waitFor();
  expect(await page.getByLabel('WORKING_CAPITAL_LINE_1_12').isChecked()).toBe(false);
  // Somebody else decides and the bank withdraws an offer, while this person looks at the other one.
  await page.getByLabel('Language').selectOption('ru');
  await page.getByRole('button', { name: 'Взять 11 000 000 RUB у 1 банка…' }).click();
  const args = ['--offer', choices[1]?.offerId ?? '', '--code', choices[1]?.code ?? ''];
  await loanOrders(['--local', '--endpoint', world.aws.endpoint, 'confirm', 'changed', ...args]);
  await world.until('changed', ({ status }) => status === 'OFFERS_APPROVED');
  await dialog.getByRole('button', { name: /^Взять/ }).click();
  await dialog.getByText('Ничего не отправлено').waitFor();
  await dialog.getByText(/^За это время решение принято, arn:.+ Берут: WORKING_CAPITAL_LINE_2_12/).waitFor();
  await dialog.getByText('Статус: доступно → подтверждено').waitFor();
  expect(order.confirmations).toHaveLength(1);
  expect((await takeComplaints()).filter((text) => !text.includes('409'))).toEqual([]);
});

test('a decision on an order that ended while the person looked is not sent', async () => {
  const { order } = await untilOffers(world, 'ended');
  const page = await open('/orders/ended');
  const dialog = page.getByRole('dialog');
  await page.getByLabel('WORKING_CAPITAL_LINE_1_12').check();
  await page.getByRole('button', { name: /^Borrow/ }).click();
  closeAtNextRead(world, order);
  await world.untilEnd('ended');
  await dialog.getByRole('button', { name: /^Borrow/ }).click();
  await dialog.getByText('The order takes no decision: closed.').waitFor();
  // An earlier attempt may have been uploaded although its answer was lost.
  expect(await dialog.textContent()).not.toContain('Nothing was sent');
  expect((await takeComplaints()).filter((text) => !text.includes('409'))).toEqual([]);
});
