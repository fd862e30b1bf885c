import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { untilOffers } from '../helpers/offers.ts';
import { openWorld } from '../helpers/open-world.ts';
import { orderPackage, packageFolder } from '../helpers/packages.ts';
import { filesToSign, signed } from '../helpers/signatures.ts';
import { openFolder } from '../helpers/signer-files.ts';
import { lookAt, openBrowser, signatureFiles } from './browser.ts';

let held: { is: RegExp; until: Promise<void> } | undefined;

const world = await openWorld({
  ordersGoOn: true,
  requestWrapper: async ({ operation, path, accessKeyId }) => {
    if (accessKeyId === 'local' && held?.is.test(`${operation} ${path}`)) await held.until;
    return undefined;
  },
});
const { open } = await openBrowser(world);
const folder = openFolder();

const BORROW = 'Borrow 5,000,000 RUB from 1 bank';

async function openReady(what: string, orderRef: string): Promise<Page> {
  const files: Parameters<Page['setInputFiles']>[1] = packageFolder(folder.path(orderRef), orderPackage());
  if (what === 'submit') {
    const page = await open('/submit');
    await page.setInputFiles('input[type=file]', files);
    return page;
  }
  if (what === 'signatures') await world.submit(orderRef);
  else await untilOffers(world, orderRef);
  if (what === 'retry' || what === 'many') {
    await world.abort(orderRef);
    await world.until(orderRef, ({ waitingFor }) => waitingFor === 'operator', { signing: false });
  }
  const page = await open(what === 'many' ? `/?queue=repair&search=${orderRef}` : `/orders/${orderRef}`);
  if (what === 'decision') await page.getByLabel('FIRST-24').check();
  if (what === 'abort') await page.getByText('Technical details').click();
  if (what !== 'signatures') return page;
  const [fileId = ''] = await filesToSign(world, orderRef);
  await page.setInputFiles('input[type=file]', signatureFiles([await signed(world, orderRef, fileId)]));
  return page;
}

test.each([
  ['decision', [`${BORROW}…`, BORROW], /^PUT .*decision\.json/, 'Sent. The order shows: A decision arrived'],
  ['retry', ['Retry', 'Retry'], /^UpdateItem /, 'Sent. The order shows: An operator asked for a retry'],
  ['abort', ['Abort', 'Abort'], /^UpdateItem /, 'Sent. The order shows: An operator asked to abort'],
  ['signatures', ['Hand in the signature'], /^PUT .*signatures/, 'Sent. The order shows: A signature arrived'],
  ['submit', ['Submit order sent-submit', 'Submit'], /^PUT .*order\.json/, 'Sent. The order shows: Package accepted'],
  ['many', ['Retry: 1 order…', 'Retry: 1 order'], /^UpdateItem /, 'Done: 1 of 1.'],
])(
  '%s: what is sent has no Cancel, and its outcome outlives its dialog and a reload',
  async (what, buttons, is, outcome) => {
    const page = await openReady(what, `sent-${what}`);
    const [dialog, bar] = [page.getByRole('dialog'), page.locator('header.bar')];
    const press = (name: string) => page.getByRole('button', { name, exact: true, disabled: false }).last().click();
    const { promise: until, resolve: release } = Promise.withResolvers<void>();
    held = { is, until };
    for (const name of buttons) await press(name);
    await page.getByText('Sent; the outcome will stand here').waitFor();
    expect(await page.getByRole('button', { name: 'Cancel' }).count()).toBe(0);
    for (const key of ['Escape', 'Escape']) await page.keyboard.press(key);
    expect(await dialog.count()).toBe(buttons.length - 1);
    if (buttons.length > 1) {
      await press('Close');
      await bar.getByText('Sent; the outcome will stand here').waitFor();
      await press(buttons[0] ?? '');
      await dialog.getByText('Sent; the outcome will stand here').waitFor();
      expect(await dialog.getByRole('button').allTextContents()).toEqual(['Close']);
    }
    if (what === 'many') await press('Close');
    else {
      await page.reload();
      await bar.getByText('Sent; the outcome is not known yet').waitFor();
    }
    held = undefined;
    release();
    await bar.getByText(outcome).waitFor();
    await lookAt(page, `sent-${what}`);
    await press('Take it off the page');
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
    expect(await bar.getByText(outcome).count()).toBe(0);
  },
);

async function follow(path: string): Promise<Page> {
  const page = await open('/rejected');
  await page.locator('nav').getByRole('link').first().click();
  await page.locator(`a[href="${path}"]`).first().click();
  return page;
}

async function goBack(page: Page, path: string): Promise<string[]> {
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.message());
    return asked.length === 1 ? dialog.dismiss() : dialog.accept();
  });
  const shown = page.locator('main h1');
  const heading = await shown.textContent();
  await page.goBack();
  await expect.poll(() => new URL(page.url()).pathname).toBe(path);
  expect(await shown.textContent()).toBe(heading);
  await page.goBack();
  await expect.poll(() => new URL(page.url()).pathname).toBe('/');
  await expect.poll(() => shown.textContent()).not.toBe(heading);
  return asked;
}

test('the back button asks before a package, signatures or a decision are lost', async () => {
  const submitPage = await follow('/submit');
  await submitPage.locator('input[type=file]').setInputFiles(packageFolder(folder.path('left'), orderPackage()));
  await submitPage.locator('.problems').waitFor({ state: 'attached' });
  const asked = [await goBack(submitPage, '/submit')];

  await world.submit('left', { offers: { choose: 'manual' } });
  const files = await filesToSign(world, 'left');
  const signatures = await Promise.all(files.map((fileId) => signed(world, 'left', fileId)));
  const signPage = await follow('/orders/left');
  await signPage.locator('input[type=file]').setInputFiles(signatureFiles(signatures));
  await signPage.locator('.tone.good', { hasText: '0.sig' }).waitFor();
  asked.push(await goBack(signPage, '/orders/left'));

  await world.until('left', ({ waitingFor }) => waitingFor === 'decision');
  const decisionPage = await follow('/orders/left');
  await decisionPage.getByLabel('FIRST-24').check();
  asked.push(await goBack(decisionPage, '/orders/left'));

  const questions = ['The package is not submitted.', 'The signatures are not handed in.', 'The decision is not sent.'];
  const twice = (question: string) => [expect.stringContaining(question), expect.stringContaining(question)];
  expect(asked).toEqual(questions.map(twice));
});
