import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { loanOrders } from '../helpers/command-line.ts';
import { answer, reading, removeFaults } from '../helpers/faults.ts';
import { choicesOf, decide } from '../helpers/offers.ts';
import { openWorld } from '../helpers/open-world.ts';
import { orderPackage } from '../helpers/packages.ts';
import { filesToSign, orderAtService, putSignature, signed } from '../helpers/signatures.ts';
import { lookAt, openBrowser } from './browser.ts';

let isDenied = false;

const world = await openWorld({
  ordersGoOn: true,
  requestWrapper: async ({ service, accessKeyId }) =>
    isDenied && service.startsWith('DynamoDB') && accessKeyId === 'local'
      ? { status: 400, code: 'AccessDeniedException' }
      : undefined,
});
const { open, takeComplaints } = await openBrowser(world);
const example = fileURLToPath(new URL('../../examples/manual', import.meta.url));
/** Of the example. */
const COMPANY = 'Patient Trade LLC';

const focused = (page: Page) =>
  page.evaluate(() => (document.activeElement?.id || document.activeElement?.textContent?.trim()) ?? '');

/** What the page reads from time to time may be denied, too. */
const isOtherThanDenied = (text: string) => !text.includes('status of 502');

test('the first order is submitted in the page, followed by keyboard until it is over, and gives its evidence', async () => {
  const page = await open('/');
  await page.getByText('There are no orders yet').waitFor();
  await lookAt(page, 'empty');
  await page.getByRole('link', { name: 'Submit the first one' }).click();
  await page.locator('input[type=file]').setInputFiles(example);
  await page.getByRole('heading', { name: 'The package has no problem.' }).waitFor();
  await page.getByLabel('Your reference').fill('whole way');
  await page.getByText('The folder name is not a valid orderRef.').waitFor();
  await lookAt(page, 'submit');
  await page.getByLabel('Your reference').fill('whole-way');
  await page.getByRole('heading', { name: 'The package has no problem.' }).waitFor();
  await page.getByRole('button', { name: 'Submit order whole-way' }).click();
  await page.getByRole('button', { name: 'Submit', exact: true }).click();
  await page.getByRole('link', { name: 'Follow the order' }).waitFor();
  await expect.poll(() => focused(page)).toBe('Follow the order');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: `${COMPANY} whole-way` }).waitFor();
  await expect.poll(() => focused(page)).toBe('content');
  const [file = '', ...others] = await filesToSign(world, 'whole-way');
  expect(others).toEqual([]);
  await page.getByText('Missing signatures (1 of 1): application-1-1.pdf').waitFor();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole('button', { name: 'Copy SHA-256' }).first().click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await copied()).toMatch(/^[0-9a-f]{64}$/);
  await page.getByText('Sign with a program of your own').click();
  await page.getByRole('button', { name: 'Copy the line' }).click();
  await expect.poll(copied).toMatch(/sign whole-way --with "my-signer \{document\} \{signature\}"$/);
  await page.getByRole('button', { name: 'Open' }).first().click();
  await page.locator('iframe').waitFor();
  await lookAt(page, 'sign');
  await putSignature(world, 'whole-way', file, await signed(world, 'whole-way', file));
  await world.until('whole-way', ({ waitingFor }) => waitingFor === 'decision');
  await decide(world, 'whole-way', choicesOf(await orderAtService(world, 'whole-way')));
  await world.untilEnd('whole-way');
  await page.getByText('It is closed.').waitFor();
  await page.getByText('Technical details').click();
  await page.getByRole('button', { name: 'Evidence' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Write it' }).click();
  await page.getByText('The archive is downloaded. Its manifest is not signed.').waitFor();
  await (await download).cancel();
  await expect.poll(() => focused(page)).toBe('Close');
  await page.keyboard.press('Enter');
  expect(await focused(page)).toBe('Evidence');
});

test('an order that stopped says why, and is retried from the page after it was asked', async () => {
  world.simulator.hooks.before = async (call, request, reply) => {
    if (reading(call)) await answer(403)(call, request, reply);
  };
  for (const orderRef of ['stopped-1', 'stopped-2']) await world.submit(orderRef);
  for (const orderRef of ['stopped-1', 'stopped-2']) await world.untilEnd(orderRef);
  removeFaults(world.simulator);
  const page = await open('/orders/stopped-1', { colorScheme: 'dark' });
  const main = page.locator('main');
  await main.getByText('The service refused a call. Ask the service why.').waitFor();
  const cause = (await main.locator('.notice.bad [lang=en]').textContent()) ?? '';
  expect(cause).toMatch(/403/);
  await page.getByText('Technical details').click();
  await main.getByText("The order service's words").waitFor();
  await lookAt(page, 'stopped-dark');
  await page.getByLabel('Language').selectOption('ru');
  await main.getByText('Сервис отклонил вызов. Спросите у сервиса, почему.').waitFor();
  expect(await main.locator('.notice.bad [lang=en]').textContent()).toBe(cause);
  await page.getByLabel('Язык').selectOption('en');
  await page.getByRole('link', { name: 'Orders', exact: true }).first().click();
  await page.getByRole('link', { name: 'To repair 2' }).click();
  await page.getByRole('button', { name: 'Retry: 2 orders…' }).click();
  await page.getByText('What is done is not done again').waitFor();
  expect(await world.record('stopped-1')).toMatchObject({ generation: 1 });
  await lookAt(page, 'retry-dark');
  await page.getByRole('button', { name: 'Retry: 2 orders', exact: true }).click();
  await page.getByText('Done: 2 of 2.').waitFor();
  for (const orderRef of ['stopped-1', 'stopped-2'])
    expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED' });
});

test('a queue is one click, the page opens with it again, and comes back to the row that was left', async () => {
  const page = await open('/');
  const queue = (name: RegExp) => page.getByRole('navigation', { name: 'Queues' }).getByRole('link', { name });
  await expect.poll(() => queue(/./).allTextContents()).toEqual(['Closed ', 'All 3']);
  await queue(/Closed/).click();
  await page.getByRole('link', { name: COMPANY }).click();
  await page.getByRole('heading', { name: 'whole-way' }).waitFor();
  await page.getByRole('link', { name: 'Orders', exact: true }).first().click();
  await page.locator('.queues [aria-current=page]', { hasText: 'Closed' }).waitFor();
  expect(page.url()).toMatch(/queue=closed$/);
  await queue(/Closed/).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.locator('.queues [aria-current=page]', { hasText: 'All' }).waitFor();
});

test('a tab that nobody sees asks for nothing, and shows everything when it is seen again', async () => {
  const page = await open('/');
  await page.getByRole('link', { name: COMPANY }).click();
  await page.getByText('It is closed.').waitFor();
  /** Headless tabs are never hidden. */
  const setHidden = (hidden: boolean) =>
    page.evaluate((is) => {
      Object.defineProperty(document, 'hidden', { value: is, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }, hidden);
  const asked: string[] = [];
  await setHidden(true);
  page.on('request', (request) => asked.push(request.url()));
  await page.getByRole('link', { name: 'Orders', exact: true }).first().click();
  await world.submitToSign('while-hidden');
  expect(asked.filter((url) => !url.endsWith('/api/stage'))).toEqual([]);
  expect(await page.getByRole('link', { name: 'while-hidden' }).count()).toBe(0);
  await setHidden(false);
  await page.getByRole('link', { name: 'while-hidden' }).waitFor();
});

test('seven windows of an order are up to date at the same time', async () => {
  const first = await open('/orders/while-hidden');
  const windows = [first];
  for (let count = 1; count < 7; count += 1) windows.push(await first.context().newPage());
  for (const page of windows) await page.goto(first.url());
  for (const page of windows) await page.getByRole('heading', { name: 'while-hidden' }).waitFor();
  await world.untilEnd('while-hidden');
  for (const page of windows) await page.getByText('It is closed.').waitFor();
});

test('addresses without a page, and references that no order has, are pages that say so', async () => {
  const page = await open('/');
  for (const [path, said] of [
    ['/orders/a%2Fb', 'a/b is not an orderRef.'],
    ['/orders/nobody', 'There is no order nobody'],
    ['/nope', 'There is no such page'],
    ['/orders', 'There is no such page'],
    ['/orders/%zz', 'There is no such page'],
  ] as const) {
    await page.goto(new URL(path, page.url()).href);
    await page.getByText(said).waitFor();
    await page.getByRole('link', { name: 'To the orders' }).click();
    await page.getByRole('link', { name: COMPANY }).waitFor();
  }
  await page.goto(new URL('/nope', page.url()).href);
  await lookAt(page, 'no-page');
  expect((await takeComplaints()).filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
});

test('rejected uploads are listed as they come, with a link to the order that there is', async () => {
  const page = await open('/rejected');
  await page.getByText('Nothing was rejected.').waitFor();
  await world.put('refused', 'order.json', { ...orderPackage(), order: {} });
  await world.put('whole-way', 'Order.json', '{}');
  await page.getByText('2 uploads').waitFor();
  await page.goto(new URL('/', page.url()).href);
  await page.getByRole('link', { name: 'Rejected packages 2' }).click();
  await page.getByText('2 uploads').waitFor();
  await page.getByRole('row').filter({ hasText: 'orders/refused/order.json' }).getByText('package with').waitFor();
  await page.getByRole('link', { name: 'In the folder of order whole-way' }).waitFor();
  expect(await page.getByRole('link', { name: /^In the/ }).count()).toBe(1);
  await lookAt(page, 'rejected');
  isDenied = true;
  await page.locator('header.bar').getByText('denied access').waitFor();
  expect(await page.locator('main').getByText('denied access').count()).toBe(0);
  expect(await page.getByText('orders/whole-way/Order.json', { exact: true }).count()).toBe(1);
  await page.getByLabel('Language').selectOption('ru');
  await page.locator('header.bar').getByText('Доступ запрещён').waitFor();
  expect(await page.locator('main').getByText('Доступ запрещён').count()).toBe(0);
  await page.getByText('Загрузите его как orders/whole-way/order.json').waitFor();
  isDenied = false;
  await page.getByText('Доступ запрещён').waitFor({ state: 'detached' });
  expect((await takeComplaints()).filter(isOtherThanDenied)).toEqual([]);
});

test('the table is used by keyboard alone', async () => {
  const page = await open('/');
  await page.getByRole('link', { name: COMPANY }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('stopped');
  await page.getByText('2 orders').waitFor();
  const [first, second = ''] = await page.locator('tr[data-index] a').allTextContents();
  await page.keyboard.press('ArrowDown');
  expect(await focused(page)).toBe(first);
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => focused(page)).toBe(second);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: second }).waitFor();
  await page.goto(new URL('/', page.url()).href);
  await page.getByRole('link', { name: COMPANY }).waitFor();
  await page.keyboard.press('ArrowDown');
  expect(await page.evaluate(() => document.activeElement?.closest('tr')?.dataset.index)).toBe('0');
  await page.reload();
  await page.getByRole('link', { name: COMPANY }).waitFor();
  const stops: string[] = [];
  for (let tabs = 0; tabs < 8; tabs += 1) {
    await page.keyboard.press('Tab');
    stops.push(await focused(page));
  }
  expect(stops).toEqual(expect.arrayContaining(['Skip to the content', 'All 4']));
  expect(stops.at(-1)).toBe(await page.locator('tr[data-index="0"] a').textContent());
});

test('an erased order says when it was erased, and each time names its zone, also on paper', async () => {
  const place = ['--local', '--endpoint', world.aws.endpoint];
  await loanOrders([...place, 'erase', 'stopped-2', '--confirm', 'stopped-2']);
  const page = await open('/orders/stopped-2', { timezoneId: 'Asia/Yekaterinburg' });
  await page.getByText(/^Erased on .+ GMT\+5, by local\./).waitFor();
  expect(await page.getByText('Nothing was sent yet').count()).toBe(0);
  await lookAt(page, 'erased');
  await page.goto(new URL('/', page.url()).href);
  const changed = page.locator('tr[data-index="0"] .age time');
  expect(await changed.getAttribute('title')).toMatch(/ GMT\+5$/);
  await page.emulateMedia({ media: 'print' });
  expect(await changed.evaluate((time) => getComputedStyle(time, '::after').content)).toContain('GMT+5');
});
