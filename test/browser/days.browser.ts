import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { inOne, type Said } from '../../console/page/messages/said.ts';
import { closeAtNextRead } from '../helpers/offers.ts';
import { openWorld, SIGNATURES_AT_ONCE } from '../helpers/open-world.ts';
import { filesToSign, orderAtService, signatureOf } from '../helpers/signatures.ts';
import { openFolder, run, signerFiles } from '../helpers/signer-files.ts';
import { DAY } from '../helpers/world.ts';
import { cutIn, dropOnto, lookAt, openBrowser } from './browser.ts';
import { pdfOfPages } from './pdf-files.ts';

const bank = (bankName: string, code: string, amount: number, rate: number, monthlyPayment: number) => ({
  ...{ bankName, status: 'AVAILABLE' },
  creditOptions: [{ code, amount, termMonths: 36, rate, monthlyPayment }],
});
const offers = [
  bank('Volga Bank', 'VOLGA', 4_500_000, 18.7, 164_270),
  bank('Банк «Заря»', 'ZARYA', 5_000_000, 9.5, 160_165),
  bank('Neva Bank', 'NEVA', 3_000_000, 21.9, 114_556),
  { ...bank('Old Bank', 'OLD', 9_000_000, 5, 1), status: 'EXPIRED' },
  // Nobody could say which of these a decision means.
  { ...bank('Twin Bank', 'TWIN', 1, 1, 1), creditOptions: [5, 7].map((amount) => ({ code: 'TWIN', amount })) },
];
const world = await openWorld({ settings: { ...SIGNATURES_AT_ONCE, offers }, ordersGoOn: true });
const { open } = await openBrowser(world);
const folder = openFolder();

const TEXTS = {
  company: ['Vector Engineering LLC', 'ООО «Северный Ветер»'],
  toSign: ['To sign 12', 'На подпись 12'],
  sign: ['Sign 1 order', 'Подписать: 1 заявка'],
  one: ['Download 2 documents (ZIP)', 'Скачать 2 документа (ZIP)'],
  waiting: ['12 orders, 30 documents without a signature.', '12 заявок, без подписи: 30 документов.'],
  read: ['Viewed: 30 of 30.', 'Просмотрено: 30 из 30.'],
  next: ['Next document', 'Следующий документ'],
  download: ['Download 30 documents (ZIP)', 'Скачать 30 документов (ZIP)'],
  fits: ['valid, for 2.pdf of order Vector Engineering LLC en-0', 'верна, для 2.pdf, заявка ООО «Северный Ветер» ru-0'],
  second: ['Valid too.', 'Тоже верна.'],
  foreign: ['It signs none of these documents.', 'Это подпись ни одного из этих документов.'],
  leftOut: ['It is not a signature, and was left out.', 'Это не подпись, файл пропущен.'],
  certificate: ['certificate: Test signer', 'сертификат: Test signer'],
  handIn: ['Hand in 30 signatures', 'Сдать подписи: 30'],
  handedIn: ['30 handed in.', 'Сдано: 30.'],
  nothing: ['Nothing waits for a signature.', 'Ничто не ждёт подписи.'],
  rate: ['Rate a year', 'Ставка в год'],
  borrow: ['Borrow 9,500,000 RUB from 2 banks', 'Взять 9 500 000 RUB у 2 банков'],
  sent: ['The decision is handed in.', 'Решение сдано.'],
  confirmed: ['confirmed', 'подтверждено'],
  closed: ['Closed', 'Закрытые'],
  month: ['Month of the end', 'Месяц завершения'],
  inTwoDays: ['in 2 days', 'послезавтра'],
  inThreeDays: ['in 3 days', 'через 3 дн.'],
  toDecide: ['To decide 2', 'На решение 2'],
  total: ['36 × 164,270 RUB', '36 × 164 270 RUB'],
  folded: ['3 offers cannot be taken', '3 предложения принять нельзя'],
  final: ['cannot be undone', 'отменить нельзя'],
  byYou: ['names you', 'решили вы'],
} satisfies Said;
const LANGUAGES = ['en', 'ru'] as const;
const wordsIn = (language: 'en' | 'ru') => inOne(TEXTS, language === 'en' ? 0 : 1);

const submit = (orderRef: string, name: string) => {
  const order = { company: { name }, loan: { amount: 9_500_000, currency: 'RUB' } };
  return world.submit(orderRef, { order, offers: { choose: 'manual' } });
};

async function close(orderRefs: string[]): Promise<void> {
  for (const orderRef of orderRefs) closeAtNextRead(world, await orderAtService(world, orderRef));
  for (const orderRef of orderRefs) await world.untilEnd(orderRef);
}

/** Signs every document of a ZIP by OpenSSL, and puts the signatures into another one: one of them twice, and two files that sign nothing. */
const SIGN = `mkdir "$2" && cd "$2" && unzip -q "$1" &&
find . -name '*.pdf' -exec openssl cms -sign -binary -outform DER -signer "$3" -inkey "$4" -in {} -out {}.sig \\; &&
cp "$(find . -name 1.pdf.sig | head -n 1)" ../foreign.sig ../readme.txt . && zip -qr "$2.zip" . -i '*.sig' readme.txt`;

async function signArchive(archive: string, name: string): Promise<string> {
  folder.write('foreign.sig', await signatureOf(Buffer.from('elsewhere')));
  folder.write('readme.txt', 'x');
  const { key, cert } = signerFiles(folder);
  await run('sh', ['-c', SIGN, 'sh', archive, folder.path(name), cert, key]);
  return folder.path(`${name}.zip`);
}

test.each(LANGUAGES)('a signer signs 30 documents of 12 orders at one desk (%s)', async (language) => {
  const words = wordsIn(language);
  const orderRefs = Array.from({ length: 12 }, (_, at) => `${language}-${at}`);
  for (const [at, orderRef] of orderRefs.entries()) {
    world.simulator.settings.documentTemplates = Array.from({ length: at < 6 ? 2 : 3 }, (_, page) => ({
      ...{ fileId: `${page + 1}`, name: `${page + 1}.pdf` },
      content: pdfOfPages(3 * at + page + 1),
    }));
    await submit(orderRef, words.company);
    await filesToSign(world, orderRef);
  }
  const page = await open('/', { locale: language });
  await page.getByRole('link', { name: words.toSign }).click();
  await page
    .locator('tr[data-index="0"]', { hasText: `${language}-0` })
    .getByRole('link')
    .focus();
  await page.keyboard.press('x');
  await page.getByRole('link', { name: words.sign }).click();
  await page.getByRole('link', { name: words.one }).waitFor();
  await page.goto(new URL('/sign', page.url()).href);
  await page.getByText(words.waiting).waitFor();
  await page.getByRole('button', { name: words.next }).focus();
  for (let read = 0; read < 30; read += 1) {
    await page.keyboard.press('Enter');
    await page.locator('iframe').waitFor();
  }
  await page.getByText(words.read).waitFor();
  await lookAt(page, `desk-${language}`);
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: words.download }).click();
  await page.evaluate('scrollTo(0, 0)');
  await dropOnto(page, await signArchive(await (await download).path(), language));
  const verdicts = page.locator('.verdicts');
  for (const text of [words.fits, words.second, words.foreign, words.leftOut])
    await verdicts.getByText(text).first().waitFor();
  expect(await verdicts.getByText(words.certificate).count()).toBe(31);
  for (const width of [390, 1024, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await lookAt(page, `desk-verdicts-${language}-${width}`);
    expect(await cutIn(page)).toEqual([]);
  }
  await page.getByRole('button', { name: words.handIn }).click();
  await page.getByText(words.handedIn).waitFor();
  for (const orderRef of orderRefs)
    await world.until(orderRef, ({ waitingFor }) => waitingFor === 'decision', { signing: false });
  await page.getByText(words.nothing).waitFor();
  await lookAt(page, `desk-empty-${language}`);
  await close(orderRefs);
});

test.each(LANGUAGES)('a credit officer borrows from two banks with five clicks (%s)', async (language) => {
  const words = wordsIn(language);
  const [late, soon] = [`${language}-late`, `${language}-soon`];
  for (const [at, orderRef] of [soon, late].entries()) {
    await submit(orderRef, words.company);
    await world.until(orderRef, ({ waitingFor }) => waitingFor === 'decision');
    await world.rewrite(orderRef, { due: new Date(Date.now() + (at + 2) * DAY).toISOString() });
  }
  const page = await open('/', { locale: language });
  await page.getByRole('link', { name: words.toDecide }).click();
  await expect.poll(() => page.locator('tr[data-index] .ref .faint').allTextContents()).toEqual([soon, late]);
  expect(await page.locator('tr[data-index] .due').allTextContents()).toEqual([words.inTwoDays, words.inThreeDays]);
  await lookAt(page, `to-decide-${language}`);
  let clicks = 0;
  const click = async (one: Locator) => {
    await one.click();
    clicks += 1;
  };
  await click(page.getByRole('link', { name: words.company }).first());
  const codes = page.locator('.offers tbody th .faint');
  const rate = page.getByRole('columnheader', { name: words.rate });
  const best = ['ZARYA', 'VOLGA', 'NEVA'];
  for (const [sorted, direction] of [[best, 'ascending'] as const, [best.toReversed(), 'descending'] as const]) {
    await rate.getByRole('button').click();
    expect(await codes.allTextContents()).toEqual(sorted);
    expect(await rate.getAttribute('aria-sort')).toBe(direction);
  }
  const bestOf = (code: string) => page.locator('.offers tr', { hasText: code }).locator('.best').count();
  expect([await bestOf('ZARYA'), await bestOf('VOLGA'), await bestOf('NEVA')]).toEqual([2, 0, 0]);
  await page.getByText(words.folded).waitFor();
  for (const code of ['VOLGA', 'ZARYA']) await click(page.getByLabel(code));
  await lookAt(page, `offers-${language}`);
  await click(page.getByRole('button', { name: `${words.borrow}…` }));
  const dialog = page.getByRole('dialog');
  const said = (await dialog.innerText()).replaceAll(/\s/g, ' ');
  for (const text of [words.company, 'Volga Bank', 'Банк «Заря»', words.total, words.final, words.byYou])
    expect(said).toContain(text);
  await lookAt(page, `last-look-${language}`);
  await click(dialog.getByRole('button', { name: words.borrow }));
  await dialog.getByText(words.sent).waitFor();
  expect(clicks).toBe(5);
  await page.keyboard.press('Enter');
  const { listedUnder = '' } = await world.untilEnd(soon);
  await expect.poll(() => page.locator('.chosen').allTextContents()).toEqual([words.confirmed, words.confirmed]);
  await lookAt(page, `decided-${language}`);
  await page.locator('.head').getByRole('link').click();
  await page.getByRole('link', { name: words.closed }).click();
  await page.getByRole('row', { name: soon }).getByText('Volga Bank; Банк «Заря»').waitFor();
  await page.getByLabel(words.month).selectOption(listedUnder);
  await page.getByRole('row', { name: soon }).getByText('Volga Bank; Банк «Заря»').waitFor();
  await lookAt(page, `closed-${language}`);
  await close([late]);
});
