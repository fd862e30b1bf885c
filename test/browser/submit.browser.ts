import { chmodSync } from 'node:fs';
import type { Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { quoted } from '../../commands/signing/openssl-lines.ts';
import { lookAt, openBrowser } from '../helpers/browser.ts';
import { loanOrders } from '../helpers/command-line.ts';
import { openWorld } from '../helpers/open-world.ts';
import { orderPackage, packageFolder, submit } from '../helpers/packages.ts';
import { filesToSign, orderAtService, putSignature, signed } from '../helpers/signatures.ts';
import { openFolder, run, signerFiles } from '../helpers/signer-files.ts';

const world = await openWorld({ ordersGoOn: true });
const { open, complaints } = await openBrowser(world);
const folder = openFolder();

test('an order is submitted under the reference that was typed, however slowly the package is checked', async () => {
  const parts = ['client-2026', '-11', '-order-7'] as const;
  const orderRef = parts.join('');
  const page = await open('/submit');
  await page.locator('input[type=file]').setInputFiles(packageFolder(folder.path('package'), orderPackage()));
  const field = page.getByLabel('Your reference');
  const button = page.getByRole('button', { name: /^Submit / });
  await field.waitFor();
  const held: Route[] = [];
  await page.route('**/check', (route) => void held.push(route));
  const untilHeld = async () => {
    await expect.poll(() => held.length).toBeGreaterThan(0);
    return held.splice(0);
  };
  /** Lets checks through, and waits for their answers. */
  const answer = async (routes: Route[]) => {
    for (const route of routes) {
      await route.continue();
      await (await route.request().response())?.finished();
    }
  };
  await field.fill('');
  await field.pressSequentially(parts[0]);
  const early = await untilHeld();
  await field.pressSequentially(parts[1]);
  await answer(early);
  await field.pressSequentially(parts[2]);
  expect(await field.inputValue()).toBe(orderRef);
  expect(await button.isDisabled()).toBe(true);
  await answer(await untilHeld());
  await page.getByRole('button', { name: `Submit order ${orderRef}`, disabled: false }).waitFor();
  await lookAt(page, 'submit-typed');
  await button.click();
  await page.getByText(`Order ${orderRef} is submitted.`).waitFor();
  expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED' });
});

test('what is typed into order.json is submitted, and a dropped order.json takes its place', async () => {
  const page = await open('/submit');
  const wrong = { ...orderPackage(), singing: 'external' };
  await page.locator('input[type=file]').setInputFiles(packageFolder(folder.path('edited'), wrong));
  await page.getByRole('heading', { name: '1 problem' }).waitFor();
  const text = page.getByLabel('order.json');
  await text.fill('{');
  await page.getByText('Checking…').waitFor();
  expect(await page.getByRole('button', { name: /^Submit / }).isDisabled()).toBe(true);
  await page.getByText('order.json is not valid JSON').waitFor();
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.dismiss();
  });
  await page.getByRole('link', { name: 'Orders', exact: true }).click();
  await page.evaluate('location.reload()').catch(() => undefined);
  await expect.poll(() => asked).toEqual(['confirm', 'beforeunload']);
  const right = JSON.stringify(orderPackage());
  await page
    .locator('input[type=file]')
    .setInputFiles([{ name: 'order.json', mimeType: '', buffer: Buffer.from(right) }]);
  await page.getByRole('button', { name: 'Submit order edited', disabled: false }).click();
  await page.getByText('Order edited is submitted.').waitFor();
  await page.getByRole('link', { name: 'Follow the order' }).click();
  await page.getByRole('heading', { level: 1, name: 'edited' }).waitFor();
  expect(asked).toHaveLength(2);
});

test('names of others show what cannot be seen in them, and keep the joiners of letters', async () => {
  world.simulator.settings.documentTemplates = [
    { fileId: '0', name: 'offer\u202Efdp.exe' },
    { fileId: '1', name: 'می\u200cخواهم.pdf' },
  ];
  await submit(world, 'unseen');
  await filesToSign(world, 'unseen');
  const page = await open('/orders/unseen');
  await page.getByText('offer%E2%80%AEfdp.exe', { exact: true }).waitFor();
  await page.getByText('می\u200cخواهم.pdf', { exact: true }).waitFor();
  await lookAt(page, 'unseen');
  expect(await page.locator('body').textContent()).not.toContain('\u202E');
});

test('an order that the bank closes while it is signed says so, and keeps what was handed in', async () => {
  world.simulator.settings.documentTemplates = ['0', '1'].map((fileId) => ({ fileId, name: `${fileId}.pdf` }));
  await submit(world, 'closed-early');
  const [first = '', second = ''] = await filesToSign(world, 'closed-early');
  const page = await open('/orders/closed-early');
  await page.getByRole('button', { name: 'Choose signatures' }).waitFor();
  // The timeline is in the order of its times.
  world.clock.advanceTo(world.clock.now() + 1_000);
  await putSignature(world, 'closed-early', first, await signed(world, 'closed-early', first));
  await page.locator('.documents').getByText('a signature arrived').waitFor();
  const files = [Buffer.from(await signed(world, 'closed-early', second)), Buffer.from('no signature')];
  const dropped = files.map((buffer, at) => ({ name: `dropped-${at}.sig`, mimeType: '', buffer }));
  await page.locator('input[type=file]').setInputFiles(dropped);
  await page.getByRole('button', { name: 'Hand in the signature' }).waitFor();
  const order = await orderAtService(world, 'closed-early');
  order.progress = { ...order.progress, status: 'CLOSED' };
  await world.abort('closed-early');
  await world.until('closed-early', ({ waitingFor }) => waitingFor === 'operator', { signing: false });
  await loanOrders(['--local', '--endpoint', world.aws.endpoint, 'retry', 'closed-early']);
  const closed = await world.until('closed-early', ({ status }) => status === 'CLOSED', { signing: false });
  expect(closed).toMatchObject({ unsigned: true });
  await page
    .getByText(/^The order was closed while it was being signed\. Signatures that arrived: 1 of \d\./)
    .waitFor();
  expect(await page.getByRole('button', { name: 'Choose signatures' }).count()).toBe(0);
  await page.locator('.documents').getByText('a signature arrived').waitFor();
  await page.getByText('These were dropped here and not handed in').waitFor();
  await page.getByText('dropped-0.sig').waitFor();
  await page.getByText('Closed without signatures').waitFor();
  expect(await page.getByText('eached its offers').count()).toBe(0);
  expect(await page.getByRole('button', { name: /^Hand in/ }).count()).toBe(0);
  await lookAt(page, 'closed-while-signed');
  await page.getByLabel('Language').selectOption('ru');
  await page.getByText('не сданы; из них ничего не отправлено').waitFor();
  await page.getByRole('button', { name: 'Убрать со страницы' }).click();
  await page.getByText('dropped-0.sig').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Доказательства' }).click();
  await page.getByLabel('без подписи ключом стадии').uncheck();
  await page.getByRole('button', { name: 'Собрать' }).click();
  await page.getByText(/^В приёмном бакете нет цепочки сертификатов .+ или отметьте «без подписи/).waitFor();
  expect(complaints.splice(0).filter((text) => !text.includes('409'))).toEqual([]);
});

test('the line for a program of the signer signs as it is copied, whichever laptops run', async () => {
  await submit(world, 'pasted');
  await filesToSign(world, 'pasted');
  const page = await open('/orders/pasted');
  const line = await page.locator('code').filter({ hasText: 'my-signer' }).textContent();
  const { key, cert } = signerFiles(folder);
  const command = `openssl cms -sign -binary -outform DER -signer ${quoted(cert)} -inkey ${quoted(key)}`;
  chmodSync(folder.write('my-signer', `#!/bin/sh\n${command} -in "$1" -out "$2"\n`), 0o755);
  const PATH = `${folder.path('.')}:${process.env.PATH}`;
  const { stdout } = await run('sh', ['-c', line ?? ''], { env: { ...process.env, PATH } });
  expect(stdout).toMatch(/Signed \d documents? of order pasted/);
  await world.until('pasted', ({ waitingFor }) => waitingFor !== 'signatures', { signing: false });
});
