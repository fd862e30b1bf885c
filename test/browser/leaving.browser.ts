import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openWorld } from '../helpers/open-world.ts';
import { orderPackage, packageFolder } from '../helpers/packages.ts';
import { filesToSign, signed } from '../helpers/signatures.ts';
import { openFolder } from '../helpers/signer-files.ts';
import { openBrowser, signatureFiles } from './browser.ts';

const world = await openWorld({ ordersGoOn: true });
const { open } = await openBrowser(world);
const folder = openFolder();

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
