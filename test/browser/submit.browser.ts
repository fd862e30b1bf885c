import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { quoted } from '../../commands/shared/text.ts';
import { loanOrders } from '../helpers/command-line.ts';
import { openWorld } from '../helpers/open-world.ts';
import { orderPackage, packageFolder } from '../helpers/packages.ts';
import { filesToSign, orderAtService, putSignature, signed } from '../helpers/signatures.ts';
import { openFolder, run, signerFiles } from '../helpers/signer-files.ts';
import { dropOnto, expectFits, isRed, lookAt, openBrowser, signatureFiles } from './browser.ts';
import { pdfOfPages } from './pdf-files.ts';

const world = await openWorld({ ordersGoOn: true });
const { open, takeComplaints } = await openBrowser(world);
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
  let isHeld = true;
  await page.route('**/check', (route) => (isHeld ? void held.push(route) : route.continue()));
  const untilHeld = async () => {
    await expect.poll(() => held.length).toBeGreaterThan(0);
    return held.splice(0);
  };
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
  const late = await untilHeld();
  await page.getByText('Checking…').waitFor();
  expect(await button.isDisabled()).toBe(true);
  // Slow typing makes more checks.
  isHeld = false;
  await answer(late);
  await page.getByRole('button', { name: `Submit order ${orderRef}`, disabled: false }).waitFor();
  await button.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Submit', exact: true }).click();
  await page.getByText(`Order ${orderRef} is submitted.`).waitFor();
  expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED' });
});

test('a check that the server could not make is made again', async () => {
  const page = await open('/submit');
  await page.clock.install();
  let failures = 1;
  const broken = { status: 502, json: { error: 'AWS gave no answer.' } };
  await page.route('**/check', (route) => (failures-- > 0 ? route.fulfill(broken) : route.continue()));
  await page.locator('input[type=file]').setInputFiles(packageFolder(folder.path('again'), orderPackage()));
  await page.getByText(broken.json.error).waitFor();
  await page.clock.runFor(5_000);
  await page.getByRole('button', { name: 'Submit order again', disabled: false }).waitFor();
  expect(await takeComplaints()).toEqual([expect.stringContaining('502')]);
});

test('what is typed into order.json is submitted, and a dropped order.json takes its place', async () => {
  const page = await open('/submit');
  const wrong = { ...orderPackage(), singing: 'external' };
  await page.locator('input[type=file]').setInputFiles(packageFolder(folder.path('edited'), wrong));
  await page.getByRole('heading', { name: '1 problem' }).waitFor();
  await page.getByLabel('Text').check();
  const text = page.locator('textarea');
  await text.fill('{');
  await page.getByText('order.json is not valid JSON').waitFor();
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.dismiss();
  });
  await page.getByRole('link', { name: 'Orders', exact: true }).click();
  await page.evaluate('location.reload()').catch(() => undefined);
  await expect.poll(() => asked).toEqual(['confirm', 'beforeunload']);
  // It is not kept yet when the file is dropped.
  await text.fill('[');
  const right = JSON.stringify(orderPackage());
  await page
    .locator('input[type=file]')
    .setInputFiles([{ name: 'order.json', mimeType: '', buffer: Buffer.from(right) }]);
  await page.getByRole('button', { name: 'Submit order edited', disabled: false }).click();
  await page.getByRole('dialog').getByText('order.json, added or changed here').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Submit', exact: true }).click();
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
  await world.submit('unseen');
  await filesToSign(world, 'unseen');
  const page = await open('/orders/unseen');
  await page.getByText('offer%E2%80%AEfdp.exe', { exact: true }).waitFor();
  await page.getByText('می\u200cخواهم.pdf', { exact: true }).waitFor();
  await lookAt(page, 'unseen');
  expect(await page.locator('body').textContent()).not.toContain('\u202E');
});

test('an order that the bank closes while it is signed says so, and keeps what was handed in', async () => {
  world.simulator.settings.documentTemplates = ['0', '1'].map((fileId) => ({ fileId, name: `${fileId}.pdf` }));
  await world.submit('closed-early');
  const [first = '', second = ''] = await filesToSign(world, 'closed-early');
  const page = await open('/orders/closed-early');
  await page.getByRole('button', { name: 'Choose signatures' }).waitFor();
  // The timeline is in the order of its times.
  world.clock.advanceTo(world.clock.now() + 1_000);
  await putSignature(world, 'closed-early', first, await signed(world, 'closed-early', first));
  await page.locator('.documents').getByText('a signature arrived').waitFor();
  const dropped = [await signed(world, 'closed-early', second), Buffer.from('no signature')];
  await page.locator('input[type=file]').setInputFiles(signatureFiles(dropped));
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
  await page.getByText('0.sig').waitFor();
  await page.getByText('Closed without signatures').waitFor();
  expect(await page.getByText('eached its offers').count()).toBe(0);
  expect(await page.getByRole('button', { name: /^Hand in/ }).count()).toBe(0);
  await lookAt(page, 'closed-while-signed');
  await page.getByLabel('Language').selectOption('ru');
  await page.getByText('не сданы; из них ничего не отправлено').waitFor();
  await page.getByRole('button', { name: 'Убрать со страницы' }).click();
  await page.getByText('0.sig').waitFor({ state: 'detached' });
  await page.getByText('Технические сведения').click();
  await page.getByRole('button', { name: 'Доказательства' }).click();
  await page.getByLabel('без подписи ключом стадии').uncheck();
  await page.getByRole('button', { name: 'Собрать' }).click();
  await page.getByText(/^В приёмном бакете нет цепочки сертификатов .+ или отметьте «без подписи/).waitFor();
  expect((await takeComplaints()).filter((text) => !text.includes('409'))).toEqual([]);
});

test('the line for a program of the signer signs as it is copied, whichever laptops run', async () => {
  await world.submit('pasted');
  await filesToSign(world, 'pasted');
  const page = await open('/orders/pasted');
  const line = await page.locator('code').filter({ hasText: 'my-signer' }).textContent();
  const { key, cert } = signerFiles(folder);
  const command = `openssl cms -sign -binary -outform DER -signer ${quoted(cert)} -inkey ${quoted(key)}`;
  chmodSync(folder.write('my-signer', `#!/bin/sh\n${command} -in "$1" -out "$2"\n`), 0o755);
  chmodSync(folder.write('npx', '#!/bin/sh\nprintf "%s\\n" "$@"\n'), 0o755);
  const PATH = `${folder.path('.')}:${process.env.PATH}`;
  // A process of its own would take seconds. The shell reads the line all the same.
  const { stdout } = await run('sh', ['-c', line ?? ''], { env: { PATH } });
  const [program, ...words] = stdout.trimEnd().split('\n');
  expect(program).toBe('loan-orders');
  expect((await loanOrders(words, { PATH })).stdout).toMatch(/Signed \d documents? of order pasted/);
  await world.until('pasted', ({ waitingFor }) => waitingFor !== 'signatures', { signing: false });
});

/** A folder in a folder: documents of several kinds, and more in one folder than a browser reads at once. */
function folderOfMany(name: string): string {
  const contents: [string, string | Uint8Array][] = [
    ['charter.pdf', pdfOfPages(3)],
    ['scan.png', Buffer.from(PNG, 'base64')],
    ['broken.pdf', '%PDF-1.7\nThis is no PDF.'],
    ['large.pdf', Buffer.alloc(50_000_001)],
    ['notes.odt', 'notes'],
  ];
  const inside = join(folder.path(name), 'Documents of October', `order-${name}`);
  packageFolder(inside, orderPackage({ documents: contents.map(([file]) => file) }));
  for (const [file, content] of contents) writeFileSync(join(inside, 'documents', file), content);
  mkdirSync(join(inside, 'documents', 'more'));
  for (let at = 0; at < MANY; at += 1) writeFileSync(join(inside, 'documents', 'more', `${at}.pdf`), pdfOfPages(1));
  return folder.path(name);
}

const MANY = 101;
/** A red pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

test('the documents of a dropped folder can be opened before it is submitted, at two widths and in both languages', async () => {
  const page = await open('/submit', { viewport: { width: 1024, height: 800 } });
  await dropOnto(page, folderOfMany('pages'));
  const row = (name: string) => page.locator('.files li').filter({ hasText: `documents/${name}` });
  await page.getByRole('heading', { name: `${MANY + 6} files` }).waitFor();
  expect(await page.getByLabel('Your reference').inputValue()).toBe('order-pages');
  for (const name of ['charter.pdf', 'scan.png', 'broken.pdf', 'large.pdf'])
    await row(name).getByRole('button', { name: 'Open' }).click();
  await expect.poll(() => isRed(page.getByTitle('charter.pdf'))).toBe(true);
  await page.getByRole('img', { name: 'scan.png' }).waitFor();
  await row('broken.pdf').getByText('is not a PDF').waitFor();
  await row('large.pdf').getByText('larger than 50').waitFor();
  expect(await row('notes.odt').getByRole('button', { name: 'Open' }).count()).toBe(0);
  await page.getByText(`Not named in order.json: ${MANY} files.`).waitFor();
  await expectFits(page, { ru: 'этот документ больше 50', en: 'larger than 50' });
  await row('charter.pdf').scrollIntoViewIfNeeded();
  await lookAt(page, 'submit-documents-390');
});

test('what is no package is answered, and nothing of it is taken', async () => {
  const page = await open('/submit');
  mkdirSync(join(folder.path('none'), 'empty'), { recursive: true });
  mkdirSync(folder.path('home'));
  for (let at = 0; at <= 5_000; at += 1) writeFileSync(join(folder.path('home'), `${at}`), '');
  for (const [name, said] of [
    ['none', 'There is no file in what was dropped.'],
    ['home', 'This folder has more than 5,000 files'],
  ] as const) {
    await dropOnto(page, folder.path(name));
    await page.getByText(said).waitFor();
  }
  expect(await page.getByLabel('Your reference').count()).toBe(0);
});

test('another package takes the place of the one that is there, and goes out under its own reference after a last look', async () => {
  const page = await open('/submit');
  const [field, dialog] = [page.getByLabel('Your reference'), page.getByRole('dialog')];
  const [first = '', second = ''] = ['client-1', 'client-2'].map((name) => {
    const written = packageFolder(folder.path(name), orderPackage({ documents: ['charter.pdf', `${name}.pdf`] }));
    folder.write(`${name}/documents/${name}.pdf`, name);
    return written;
  });
  const shows = async (orderRef: string, client: string) => {
    const files = ['charter.pdf', `${client}.pdf`, 'order.json'].map((file) => expect.stringContaining(file));
    await expect.poll(() => page.locator('.files li > span:first-child').allTextContents()).toEqual(files);
    expect(await field.inputValue()).toBe(orderRef);
  };
  await page.setInputFiles('input[type=file]', first);
  await shows('client-1', 'client-1');
  await field.fill('typed-by-hand');
  await page.getByLabel('Text').check();
  await page.locator('textarea').fill('{}');
  await dropOnto(page, second);
  await shows('client-2', 'client-2');
  // Without a folder nothing says whose it is.
  await dropOnto(page, join(first, 'order.json'), join(first, 'documents'));
  await shows('', 'client-1');
  await page.getByRole('button', { name: 'Another package', disabled: false }).click();
  await page.setInputFiles('input[type=file]', second);
  await shows('client-2', 'client-2');
  await dropOnto(page, folder.write('notes.txt', 'notes'));
  await page.getByRole('heading', { name: '4 files' }).waitFor();
  const submit = page.getByRole('button', { name: 'Submit order client-2' });
  await page.getByText('Not named in order.json: 1 file.').waitFor();
  expect(await submit.isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Leave them out' }).click();
  await dropOnto(page, folder.write('charter.pdf', 'another charter'));
  await page.getByText('15 bytes').waitFor();
  await page.getByRole('button', { name: 'Submit order client-2', disabled: false }).click();
  const files = [
    'client-2 client-2, 3 files',
    'documents/charter.pdf, added or changed here',
    'documents/client-2.pdf',
    'order.json',
  ];
  expect(await dialog.locator('li').allTextContents()).toEqual(files);
  await lookAt(page, 'submit-last-look');
  await dialog.getByRole('button', { name: 'Submit' }).click();
  await page.getByText('Order client-2 is submitted.').waitFor();
  expect(await field.count()).toBe(0);
});
