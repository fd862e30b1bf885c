import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openWorld } from '../helpers/open-world.ts';
import { cutIn, lookAt, openBrowser } from './browser.ts';

const TEXTS = {
  en: ['Report of the month', 'Submitted in the month', 'Offer taken 1', 'Download CSV'],
  ru: ['Отчёт за месяц', 'Поданы в этом месяце', 'Предложение принято 1', 'Скачать CSV'],
} as const;

const world = await openWorld({ ordersGoOn: true });
const { open } = await openBrowser(world);
const order = { company: { name: 'ООО «Ветер»' }, loan: { amount: 1_234_567.1, currency: 'RUB' } };

test.each(['en', 'ru'] as const)('a boss looks at a month, prints it on one page and saves it (%s)', async (locale) => {
  const [link, submitted, taken, csv] = TEXTS[locale];
  await world.forget();
  await world.submitToEnd('taken', { order });
  const month = (await world.record('taken'))?.listedUnder ?? '';
  const page = await open('/?queue=closed', { locale });
  await page.getByRole('link', { name: link }).click();
  await page.goto(new URL(`/report?month=${month}`, page.url()).href);
  await page.getByRole('region', { name: submitted }).getByRole('row', { name: taken }).getByText('RUB').waitFor();
  await lookAt(page, `report-${locale}`);
  await page.setViewportSize({ width: 390, height: 900 });
  expect(await cutIn(page)).toEqual([]);
  const pdf = (await page.pdf({ format: 'A4' })).toString('latin1');
  expect(pdf.match(/\/Type \/Page\b/g)).toHaveLength(1);
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: csv }).click();
  const saved = readFileSync(await (await download).path(), 'utf8').split('\r\n');
  expect(saved[0]).toMatch(/^\ufeff"PART","WHAT",.*,"SUM RUB"$/);
  expect(saved).toContain('"submitted","taken","1","0","","","1234567.1"');
});
