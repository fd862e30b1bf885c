import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { answering } from '../helpers/listening.ts';
import { openWorld } from '../helpers/open-world.ts';
import { filesToSign } from '../helpers/signatures.ts';
import { isRed, lookAt, openBrowser } from './browser.ts';
import { hostilePdf, pdfOfPages } from './pdf-files.ts';

const asked: string[] = [];
const elsewhere = await answering((request, response) => {
  asked.push(request.url ?? '');
  response.end();
});

const SCRIPT = `<script>document.title = 'ran'; parent.document.title = 'ran'; alert('ran')</script>\n`;
/** More than one part of a download, and a script for whoever takes it for a page. */
const TEXT = `${SCRIPT}${'to sign\n'.repeat(100_000)}`;
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const world = await openWorld({ ordersGoOn: true, environment: { DOCUMENT_TYPES: '["*/*","text/html"]' } });
const { open: openPage, takeComplaints } = await openBrowser(world);
const contents: [name: string, content: Buffer, contentType?: string][] = [
  ['plain.pdf', pdfOfPages(3)],
  ['long.pdf', pdfOfPages(2_000)],
  ['hostile.pdf', hostilePdf(`${elsewhere}/`)],
  ['begins.pdf', Buffer.from('%PDF-1.7\nThis is no PDF.')],
  ['page.pdf', Buffer.from(`<!doctype html>${SCRIPT}${pdfOfPages(1)}`)],
  ['both.pdf', Buffer.from(`%PDF-1.7\n<html>${SCRIPT}</html>\n%%EOF`)],
  ['text.txt', Buffer.from(TEXT), 'text/plain; charset=utf-8'],
  ['pixel.png', Buffer.from(PIXEL, 'base64'), 'image/png'],
  ['page.html', Buffer.from(TEXT), 'text/html'],
];
world.simulator.settings.documentTemplates = contents.map(([name, content, contentType], at) => ({
  fileId: `${at}`,
  name,
  content,
  ...(contentType !== undefined && { contentType }),
}));
await world.submit('documents');
await filesToSign(world, 'documents');

const rowOf = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name });
const press = (page: Page, name: string, button = 'Open') =>
  rowOf(page, name).getByRole('button', { name: button }).click();
const open = () => openPage('/orders/documents');

test("the browser's viewer draws a PDF in the page, and the last one that is opened takes its place", async () => {
  const page = await open();
  for (const name of ['long.pdf', 'plain.pdf']) {
    await press(page, name);
    await page.getByTitle(name).scrollIntoViewIfNeeded();
    await expect.poll(() => isRed(page.getByTitle(name))).toBe(true);
    expect(await page.locator('iframe').count()).toBe(1);
  }
  await lookAt(page, 'pdf');
});

test('a page that says it is a PDF, and a file that only begins like one, are said to be none, and can be downloaded', async () => {
  const page = await open();
  for (const name of ['begins.pdf', 'page.pdf']) {
    await press(page, name);
    await page.getByRole('status').getByText('This file is broken, or is not a PDF, and cannot be shown.').waitFor();
    expect(await page.locator('iframe').count()).toBe(0);
    const download = page.waitForEvent('download');
    await rowOf(page, name).getByRole('link', { name: 'Download' }).click();
    expect((await download).suggestedFilename()).toBe(name);
  }
  await page.getByLabel('Language').selectOption('ru');
  await page.getByRole('button', { name: 'Закрыть' }).click();
  await press(page, 'page.pdf', 'Открыть');
  await page.getByRole('status').getByText('Этот файл повреждён').waitFor();
  await lookAt(page, 'pdf-not-shown');
});

test('neither a page within a PDF nor the scripts and images of one reach the page or an address', async () => {
  const page = await open();
  const dialogs: string[] = [];
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    return dialog.dismiss();
  });
  await press(page, 'both.pdf');
  await expect.poll(() => page.frames().some((frame) => frame.url().startsWith('chrome-extension:'))).toBe(true);
  await press(page, 'hostile.pdf');
  // Its own script may say something.
  await expect.poll(() => dialogs).toContain('x');
  // A second document is shown after it: whatever the first would do has had its time.
  await press(page, 'plain.pdf');
  await expect.poll(() => isRed(page.getByTitle('plain.pdf'))).toBe(true);
  expect(new Set(dialogs)).toEqual(new Set(['x']));
  expect({ asked, pages: page.context().pages().length }).toEqual({ asked: [], pages: 1 });
  expect(new URL(page.url()).pathname).toBe('/orders/documents');
  expect(await page.title()).toBe('documents · local · Loan orders');
});

test('a text and a picture are shown as such in the page, and a page is not shown', async () => {
  const page = await open();
  await press(page, 'text.txt');
  expect(await page.locator('pre').textContent()).toBe(TEXT);
  await lookAt(page, 'text');
  await press(page, 'pixel.png');
  const width = (image: Element) => (image as HTMLImageElement).naturalWidth;
  await expect.poll(() => page.getByRole('img', { name: 'pixel.png' }).evaluate(width)).toBe(1);
  expect(await rowOf(page, 'page.html').getByRole('button', { name: 'Open' }).count()).toBe(0);
});

test('a browser without a viewer of PDFs offers them as downloads', async () => {
  const page = await open();
  await page.addInitScript(() => Object.defineProperty(navigator, 'pdfViewerEnabled', { value: false }));
  await page.reload();
  await rowOf(page, 'plain.pdf').getByRole('link', { name: 'Download' }).waitFor();
  expect(await rowOf(page, 'plain.pdf').getByRole('button', { name: 'Open' }).count()).toBe(0);
});

test('of a document whose end does not come, nothing is shown, and it says so', async () => {
  const items = (await world.items('documents')) as { item: string; name?: string }[];
  const { item } = items.find((one) => one.item.startsWith('to-sign#') && one.name === 'long.pdf') ?? {};
  await world.rewrite('documents', { sha256: '0'.repeat(64) }, item);
  const page = await open();
  await press(page, 'long.pdf');
  await page.getByText('This document broke off before its end, so it is not shown.').waitFor();
  expect(await page.locator('iframe').count()).toBe(0);
  await takeComplaints();
});
