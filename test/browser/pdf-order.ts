import { createServer } from 'node:http';
import type { BrowserContextOptions, Frame, Page } from 'playwright-core';
import { afterAll } from 'vitest';
import { listening } from '../helpers/listening.ts';
import { openWorld, submit } from '../helpers/open-world.ts';
import { filesToSign } from '../helpers/signatures.ts';
import { openBrowser } from './browser.ts';
import { encryptedPdf, fontlessPdf, halfPdf, hostilePdf, pdfOfPages, scannedPdf } from './pdf-files.ts';

/** More than one part of a download, and a script for whoever takes it for a page. */
export const TEXT = `<script>document.title = 'ran'</script>\n${'to sign\n'.repeat(100_000)}`;
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Opens a browser, and submits an order whose documents to sign are PDFs of many kinds, a text and a picture. */
export async function openPdfs(orderRef: string) {
  const world = await openWorld({ ordersGoOn: true });
  const { open: openPage, complaints, takeComplaints } = await openBrowser(world);
  const { address, asked } = await openElsewhere();
  const contents: [name: string, content?: Buffer, contentType?: string][] = [
    ['plain.pdf'],
    ['broken.pdf', Buffer.from('%PDF-1.7\nThis is no PDF.')],
    ['encrypted.pdf', await encryptedPdf()],
    ['long.pdf', pdfOfPages(2_000)],
    ['no-page.pdf', pdfOfPages(0)],
    ['hostile.pdf', hostilePdf(address)],
    ['many.pdf', pdfOfPages(100)],
    ['scanned.pdf', scannedPdf()],
    ['half.pdf', halfPdf()],
    ['fontless.pdf', fontlessPdf()],
    ['text.txt', Buffer.from(TEXT), 'text/plain; charset=utf-8'],
    ['pixel.png', Buffer.from(PIXEL, 'base64'), 'image/png'],
    ['page.html', Buffer.from(TEXT), 'text/html'],
  ];
  world.simulator.settings.documentTemplates = contents.map(([name, content, contentType], at) => ({
    fileId: `${at}`,
    name,
    ...(content && { content }),
    ...(contentType !== undefined && { contentType }),
  }));
  await submit(world, orderRef);
  await filesToSign(world, orderRef);
  const open = (options?: BrowserContextOptions) => openPage(`/orders/${orderRef}`, options);
  /** Opens a document of the order in its page. */
  const view = async (name: string, options?: BrowserContextOptions): Promise<Page> => {
    const page = await open(options);
    const row = page.getByRole('listitem').filter({ hasText: name });
    await row.getByRole('button', { name: /^(Open|Close|Открыть|Закрыть)$/ }).click();
    return page;
  };
  return { world, complaints, takeComplaints, asked, open, view };
}

/** An address that the hostile PDF names, and what anybody asks of it. */
async function openElsewhere(): Promise<{ address: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end();
  });
  afterAll(() => server.close());
  return { address: `${await listening(server)}/`, asked };
}

/** The frame of a PDF, when its first page is drawn. */
export async function shown(page: Page): Promise<Frame> {
  const element = await page.waitForSelector('iframe');
  // A browser draws nothing in a frame that nobody sees.
  await element.scrollIntoViewIfNeeded();
  const frame = await element.contentFrame();
  await frame?.waitForSelector('canvas[data-drawn]');
  return frame as Frame;
}
