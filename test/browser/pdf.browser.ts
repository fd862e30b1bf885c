import type { Frame } from 'playwright-core';
import { expect, test } from 'vitest';
import { lookAt, violations } from '../helpers/browser.ts';
import { openPdfs, shown } from '../helpers/pdf-order.ts';

const { open, view, complaints } = await openPdfs('pdfs');

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
    await page.getByRole('listitem').filter({ hasText: name }).getByRole('button').first().click();
  await page.getByText('1 page', { exact: true }).waitFor();
  expect(await page.locator('iframe').count()).toBe(1);
  const frame = await shown(page);
  await frame.getByText('Application for a business loan').waitFor();
  expect(await frame.locator('section').count()).toBe(1);
});

test('a PDF that is being opened in dark colours is dark', async () => {
  const page = await open({ colorScheme: 'dark' });
  await page.route('**/documents/0?*', () => undefined);
  await page.getByRole('listitem').filter({ hasText: 'plain.pdf' }).getByRole('button').first().click();
  const element = await page.waitForSelector('iframe');
  const frame = (await element.contentFrame()) as Frame;
  await frame.waitForSelector('body', { state: 'attached' });
  const background = (shown: Element) => getComputedStyle(shown).backgroundColor;
  expect(await element.evaluate(background)).toBe('rgba(0, 0, 0, 0)');
  expect(await frame.locator('html').evaluate(background)).toBe('rgb(43, 49, 55)');
});

test('no page complained about a script, a style or a request', () => {
  expect(complaints).toEqual([]);
});
