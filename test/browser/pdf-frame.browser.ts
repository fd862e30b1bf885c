import { expect, test } from 'vitest';
import { openPdfs, shown } from './pdf-order.ts';

const { asked, view, complaints, takeComplaints } = await openPdfs('framed');

test('the frame of a PDF has an origin of its own, and reaches neither the page nor its server', async () => {
  const page = await view('plain.pdf');
  const frame = await shown(page);
  expect(complaints).toEqual([]);
  const tried = await frame.evaluate(async () => {
    const attempts: Record<string, () => unknown> = {
      parent: () => parent.document.body,
      server: () => fetch('/api/stage'),
      image: () =>
        new Promise((resolve, reject) => {
          Object.assign(document.body.appendChild(new Image()), { onload: resolve, onerror: reject, src: '/viewer' });
        }),
      cookie: () => document.cookie,
      storage: () => localStorage.length,
      script: () => {
        document.body.appendChild(Object.assign(document.createElement('script'), { text: 'window.name = "ran"' }));
        if (window.name !== 'ran') throw new Error('It did not run.');
      },
      window: () => open('/') ?? Promise.reject(),
    };
    const names = Object.keys(attempts);
    const ends = await Promise.allSettled(names.map(async (name) => attempts[name]?.()));
    return { origin: window.origin, succeeded: names.filter((_name, at) => ends[at]?.status === 'fulfilled') };
  });
  expect(tried).toEqual({ origin: 'null', succeeded: [] });
  await expect.poll(() => complaints).not.toEqual([]);
  await takeComplaints();
});

test('a PDF that would run scripts, follow links, send a form and load an image does nothing', async () => {
  const page = await view('hostile.pdf');
  let dialogs = 0;
  page.on('dialog', (dialog) => {
    dialogs += 1;
    return dialog.dismiss();
  });
  const frame = await shown(page);
  const { width, height } = await frame.evaluate(() => {
    const { width, height } = (document.querySelector('canvas') as HTMLCanvasElement).getBoundingClientRect();
    return { width, height };
  });
  for (const part of [0.25, 0.75])
    await frame.locator('section').click({ position: { x: width / 2, y: height * part } });
  await frame.getByText('Click here').click();
  expect(await frame.locator('a, :is(input, button):not(header *), form, iframe, img, object').count()).toBe(0);
  // A second document is shown after it: whatever the first would do has had its time.
  await page
    .getByRole('listitem')
    .filter({ hasText: 'many.pdf' })
    .getByRole('button', { name: /^(Open|Close|Открыть|Закрыть)$/ })
    .click();
  await shown(page);
  expect({ dialogs, asked, pages: page.context().pages().length }).toEqual({ dialogs: 0, asked: [], pages: 1 });
  expect(new URL(page.url()).pathname).toBe('/orders/framed');
});

test.each(['/', '/viewer'])('a frame that leaves its PDF for %s is taken away', async (address) => {
  const page = await view('plain.pdf');
  const frame = await shown(page);
  await page.getByRole('status').filter({ hasText: '1 page' }).waitFor();
  await frame.evaluate((to) => location.assign(to), address);
  await page.getByText('This file is broken').waitFor();
  expect(await page.locator('iframe').count()).toBe(0);
  await takeComplaints();
});

test('what a frame says is believed only if it can be, and other windows are not heard', async () => {
  const page = await view('many.pdf');
  const frame = await shown(page);
  await page.getByText('100 pages').waitFor();
  await page.evaluate(() => {
    postMessage({ viewer: 'failed', why: 'broken', pages: 0 }, '*');
    document.querySelector('iframe')?.contentWindow?.postMessage({ pdf: new ArrayBuffer(3), title: 'another' }, '*');
  });
  const odd = [{ viewer: 'shown', pages: -5 }, { viewer: 'failed', why: 'toString', pages: 0 }, null, 'failed'];
  await frame.evaluate((messages) => {
    for (const message of messages) parent.postMessage(message, '*');
  }, odd);
  await page.getByText('100 pages').waitFor();
  await frame.evaluate(() => parent.postMessage({ viewer: 'shown', pages: 7 }, '*'));
  await page.getByText('7 pages').waitFor();
  expect(await frame.title()).toBe('many.pdf');
});
