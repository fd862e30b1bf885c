import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Frame } from 'playwright-core';
import { expect, test } from 'vitest';
import { lookAt, violations } from './browser.ts';
import { openPdfs, shown, TEXT } from './pdf-order.ts';

const { world, open, view, takeComplaints } = await openPdfs('pdfs');
const dynamodb = DynamoDBDocumentClient.from(new DynamoDBClient(world.aws.clientSettings));

/** How the first page is drawn: its dark and its grey pixels, its pixels for each of the page, and its width. */
function drawnIn(frame: Frame) {
  return frame.evaluate(() => {
    const canvas = document.querySelector('canvas') as HTMLCanvasElement;
    const context = canvas.getContext('2d') as CanvasRenderingContext2D;
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    const reds = data.filter((_value, at) => at % 4 === 0);
    const dark = reds.filter((value) => value < 100).length;
    const grey = reds.filter((value) => value > 120 && value < 136).length;
    return { dark, grey, sharpness: canvas.width / canvas.clientWidth, width: canvas.clientWidth, seen: innerWidth };
  });
}

test('a PDF of the service is drawn in the page, its text can be found, and it can be made larger', async () => {
  const page = await view('plain.pdf');
  const frame = await shown(page);
  // A screen of high density. The driver sets the density of pages, but not of frames with an origin of their own.
  await frame.evaluate(() => {
    Object.defineProperty(window, 'devicePixelRatio', { value: 2 });
    dispatchEvent(new Event('resize'));
  });
  await frame.waitForSelector('canvas[data-drawn]');
  await page.getByRole('status').filter({ hasText: '1 page' }).waitFor();
  await frame.getByText('Application for a business loan').waitFor();
  await frame.getByRole('region', { name: 'Page 1 of 1' }).waitFor();
  const { dark, sharpness, width, seen } = await drawnIn(frame);
  expect(dark).toBeGreaterThan(1_000);
  expect(sharpness).toBeCloseTo(2, 1);
  expect(width / seen).toBeGreaterThan(0.95);
  await page.locator('iframe').scrollIntoViewIfNeeded();
  await lookAt(page, 'pdf');
  expect(await violations(frame)).toEqual([]);
  await frame.getByRole('button', { name: 'Larger' }).click();
  await frame.getByText('125 %').waitFor();
  await frame.waitForSelector('canvas[data-drawn]');
  expect((await drawnIn(frame)).width / width).toBeCloseTo(1.25, 2);
});

test('a scanned page is drawn: in JBIG2 and in JPEG 2000', async () => {
  const frame = await shown(await view('scanned.pdf'));
  const { dark, grey } = await drawnIn(frame);
  expect({ dark: dark > 100_000, grey: grey > 100_000 }).toEqual({ dark: true, grey: true });
});

test('pages are drawn when they come near, and let go when they are far', async () => {
  const page = await view('many.pdf');
  const frame = await shown(page);
  await page.getByText('100 pages').waitFor();
  expect(await frame.locator('section').count()).toBe(100);
  await frame.getByText('This is page 100', { exact: true }).waitFor({ state: 'attached' });
  expect(await frame.locator('canvas').count()).toBeLessThan(10);
  await frame.locator('section').last().scrollIntoViewIfNeeded();
  await frame.locator('section').last().locator('canvas[data-drawn]').waitFor();
  await frame.locator('section').first().locator('canvas').waitFor({ state: 'detached' });
});

test('of many pages the current one is shown, marked, and gone to, in Russian', async () => {
  const frame = await shown(await view('many.pdf', { locale: 'ru-RU' }));
  const field = frame.getByLabel('Страница из 100');
  const current = () => frame.locator('[aria-current=page]').evaluateAll((all) => all.map((one) => one.ariaLabel));
  await expect.poll(current).toEqual(['Страница 1 из 100']);
  await field.fill('70');
  await field.press('Enter');
  await frame.locator('section').nth(69).locator('canvas[data-drawn]').waitFor();
  expect(await current()).toEqual(['Страница 70 из 100']);
  await frame.locator('section').last().scrollIntoViewIfNeeded();
  await expect.poll(() => field.inputValue()).toBe('100');
  await field.fill('101');
  await field.press('Enter');
  expect([await field.inputValue(), await current()]).toEqual(['100', ['Страница 100 из 100']]);
  expect(await violations(frame)).toEqual([]);
});

test('a page that is broken says so, and those before it are shown', async () => {
  const frame = await shown(await view('half.pdf'));
  await frame.getByRole('region', { name: 'Page 2 of 2' }).getByText('This page is broken').waitFor();
  await frame.getByText('This is page 1').waitFor();
});

test('a PDF that needs an Asian font that it does not contain says that something may be missing', async () => {
  const page = await view('fontless.pdf');
  await page.getByText('Something in this PDF may be missing here').waitFor();
});

test('of documents opened one after the other, the last one is shown', async () => {
  const page = await view('many.pdf');
  for (const name of ['plain.pdf', 'many.pdf', 'plain.pdf'])
    await page
      .getByRole('listitem')
      .filter({ hasText: name })
      .getByRole('button', { name: /^(Open|Close|Открыть|Закрыть)$/ })
      .click();
  await page.getByText('1 page', { exact: true }).waitFor();
  expect(await page.locator('iframe').count()).toBe(1);
  const frame = await shown(page);
  await frame.getByText('Application for a business loan').waitFor();
  expect(await frame.locator('section').count()).toBe(1);
});

test('a PDF that is being opened in dark colours is dark', async () => {
  const page = await open({ colorScheme: 'dark' });
  await page.route('**/documents/0?*', () => undefined);
  await page
    .getByRole('listitem')
    .filter({ hasText: 'plain.pdf' })
    .getByRole('button', { name: /^(Open|Close|Открыть|Закрыть)$/ })
    .click();
  const element = await page.waitForSelector('iframe');
  const frame = (await element.contentFrame()) as Frame;
  const background = (shown: Element) => getComputedStyle(shown).backgroundColor;
  await expect.poll(() => frame.locator('html').evaluate(background)).toBe('rgb(43, 49, 55)');
  expect(await element.evaluate(background)).toBe('rgba(0, 0, 0, 0)');
});

test('a PDF that is not shown says why in both languages, and can be downloaded', async () => {
  const page = await open();
  for (const [name, sentence, russian] of [
    ['broken.pdf', 'This file is broken, or is not a PDF, and cannot be shown.', 'Файл повреждён'],
    ['encrypted.pdf', 'This PDF is protected by a password and cannot be shown here.', 'PDF защищён паролем'],
    ['no-page.pdf', 'This PDF is empty: there is nothing to show.', 'PDF пуст'],
    ['long.pdf', 'This PDF has 2,000 pages, and only up to 500 are shown here.', 'В этом PDF 2 000 страниц'],
  ] as const) {
    const row = page.getByRole('listitem').filter({ hasText: name });
    await row.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('status').getByText(sentence).waitFor();
    expect(await page.locator('iframe').count()).toBe(0);
    const download = page.waitForEvent('download');
    await row.getByRole('link', { name: 'Download' }).click();
    expect((await download).suggestedFilename()).toBe(name);
    await page.getByLabel('Language').selectOption('ru');
    await page.getByRole('status').getByText(russian).waitFor();
    await page.getByLabel('Язык').selectOption('en');
  }
  await lookAt(page, 'pdf-not-shown');
});

test('an empty file says so, and what the server refuses is said in its words', async () => {
  const page = await open();
  const answers = [
    { status: 200, body: '' },
    { status: 409, json: { error: 'It is gone.' } },
  ];
  await page.route('**/documents/0?*', (route) => route.fulfill(answers.shift() ?? {}));
  const button = page
    .getByRole('listitem')
    .filter({ hasText: 'plain.pdf' })
    .getByRole('button', { name: /^(Open|Close|Открыть|Закрыть)$/ });
  await button.click();
  await page.getByText('This PDF is empty: there is nothing to show.').waitFor();
  await button.click();
  await button.click();
  await page.getByText('It is gone.').waitFor();
  await takeComplaints();
});

test('a text and a picture are shown as such in the page, and a page is not shown', async () => {
  const page = await view('text.txt');
  expect(await page.locator('pre').textContent()).toBe(TEXT);
  await lookAt(page, 'text');
  const row = (name: string) => page.getByRole('listitem').filter({ hasText: name });
  await row('pixel.png').getByRole('button', { name: 'Open' }).click();
  const width = (image: Element) => (image as HTMLImageElement).naturalWidth;
  await expect.poll(() => page.getByRole('img', { name: 'pixel.png' }).evaluate(width)).toBe(1);
  expect(await row('page.html').getByRole('button', { name: 'Open' }).count()).toBe(0);
});

test.each(['long.pdf', 'text.txt'])(
  'of %s, whose end does not come, nothing is shown, and it says so',
  async (name) => {
    const page = await open();
    const items = (await world.items('pdfs')) as { item: string; name?: string; sha256?: string }[];
    const { item, sha256 = '' } = items.find((one) => one.item.startsWith('to-sign#') && one.name === name) ?? {};
    const record = async (digest: string) =>
      dynamodb.send(
        new UpdateCommand({
          TableName: world.outputs.OrderTable,
          Key: { orderRef: 'pdfs', item },
          UpdateExpression: 'SET sha256 = :digest',
          ExpressionAttributeValues: { ':digest': digest },
        }),
      );
    await record('0'.repeat(64));
    const row = page.getByRole('listitem').filter({ hasText: name });
    await row.getByTitle('0'.repeat(64)).waitFor();
    await row.getByRole('button', { name: /^(Open|Close|Открыть|Закрыть)$/ }).click();
    await page.getByText('This document broke off before its end, so it is not shown.').waitFor();
    expect(await page.locator('iframe, pre').count()).toBe(0);
    await record(sha256);
    await takeComplaints();
  },
);
