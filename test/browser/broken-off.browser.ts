import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { untilOffers } from '../helpers/offers.ts';
import { openWorld } from '../helpers/open-world.ts';
import { orderPackage, packageFolder } from '../helpers/packages.ts';
import { filesToSign, signed } from '../helpers/signatures.ts';
import { openFolder } from '../helpers/signer-files.ts';
import type { World } from '../helpers/world.ts';
import { launchBrowser, lookAt, signatureFiles } from './browser.ts';

const script = fileURLToPath(new URL('../../bin/loan-orders.js', import.meta.url));

interface ConsoleProcess {
  address: string;
  kill(): Promise<void>;
}

/** The caller kills it in the end. Port 0 is any free one. */
async function startConsoleProcess(world: World, port: number): Promise<ConsoleProcess> {
  const words = ['--endpoint', world.aws.endpoint, '--json', 'console', '--port', `${port}`];
  const child: ChildProcess = spawn(process.execPath, [script, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const [line] = (await once(lines, 'line')) as [string];
  return { address: (JSON.parse(line) as { address: string }).address, kill };
}

let isFatal: ((request: string) => boolean) | undefined;
let served: ConsoleProcess;

const world = await openWorld({
  ordersGoOn: true,
  requestWrapper: async ({ service, operation, path, accessKeyId }, serve) => {
    if (service !== 'S3' || accessKeyId !== 'local' || !isFatal?.(`${operation} ${path}`)) return undefined;
    isFatal = undefined;
    // A decision arrives; what else is under way may be lost with the console.
    if (path.includes('decision.json')) await serve();
    await served.kill();
    return undefined;
  },
});
served = await startConsoleProcess(world, 0);
const folder = openFolder();
const port = Number(new URL(served.address).port);
const browser = await launchBrowser();
const context: BrowserContext = await browser.newContext({ locale: 'en-GB' });
afterAll(() => context.close());
afterAll(() => served.kill());

async function openTab(): Promise<Page> {
  const page = await context.newPage();
  await page.goto(served.address);
  return page;
}

async function startAgain(open?: Page): Promise<void> {
  served = await startConsoleProcess(world, port);
  await open?.getByText('The console was started again. Open the new address').waitFor();
  await (await openTab()).close();
}

async function press(page: Page, ...names: string[]): Promise<void> {
  for (const name of names) await page.getByRole('button', { name, exact: true, disabled: false }).click();
}

async function dropPackage(page: Page, orderRef: string): Promise<void> {
  await page.locator('input[type=file]').setInputFiles(packageFolder(folder.path(orderRef), orderPackage()));
}

test('of a submission that broke off, the page says that it is unknown, and finds the order when the console is back', async () => {
  const page = await openTab();
  await page.getByRole('link', { name: 'Submit', exact: true }).click();
  await dropPackage(page, 'broken-off');
  let isUploaded = false;
  isFatal = (request) => {
    isUploaded ||= /^PUT .*broken-off\/order\.json/.test(request);
    return isUploaded && /^GET .*broken-off\/status\.json/.test(request);
  };
  await press(page, 'Submit order broken-off', 'Submit');
  await page.getByText('Sent; the outcome is not known yet').waitFor();
  await page.locator('header.bar').getByText('The console does not answer').waitFor();
  const dialog = page.getByRole('dialog');
  await expect.poll(() => dialog.getByRole('button', { name: 'Submit' }).isDisabled()).toBe(true);
  expect(await dialog.getByRole('button', { name: 'Cancel' }).count()).toBe(0);
  await lookAt(page, 'submit-broken-off');
  await startAgain(page);
  await page.getByText('The console was started again').waitFor({ state: 'detached' });
  await page.getByText('Sent. The order shows: Package accepted').waitFor();
  await lookAt(page, 'submit-found');
  await page.getByRole('link', { name: 'Follow the order' }).click();
  await page.getByRole('heading', { name: 'broken-off' }).waitFor();
});

test('a submission that met no console says that nothing was submitted, and what was typed outlives a reload', async () => {
  const page = await openTab();
  await page.getByRole('link', { name: 'Submit', exact: true }).click();
  await page.getByRole('button', { name: 'Choose a folder' }).waitFor();
  await dropPackage(page, 'dropped-again');
  const text = page.locator('textarea');
  await page.getByLabel('Text').check();
  await text.fill(`${await text.inputValue()} `);
  await page.getByRole('button', { name: 'Submit order dropped-again', disabled: false }).click();
  await served.kill();
  await press(page, 'Submit');
  await page.getByText('The files were not sent: nothing was submitted').waitFor();
  await press(page, 'Cancel');
  await startAgain(page);
  await page.getByText('The console was started again').waitFor({ state: 'detached' });
  // What was typed outlives a reload. Files are asked for.
  page.once('dialog', (dialog) => void dialog.accept());
  await page.reload();
  await page.getByText('Drop these files again: documents/charter.pdf').waitFor();
  await page.getByLabel('Text').check();
  expect(await text.inputValue()).toMatch(/\} $/);
  expect(await page.getByLabel('Your reference').inputValue()).toBe('dropped-again');
  // A file alone finds the place of its name.
  await page.locator('input[type=file]').setInputFiles(folder.path('dropped-again/documents/charter.pdf'));
  await page.getByText('Drop these files again').waitFor({ state: 'detached' });
  await press(page, 'Submit order dropped-again', 'Submit');
  await page.getByText('Order dropped-again is submitted.').waitFor();
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
});

test('of signatures whose hand-in broke off, the page says which are in, which is unknown, and hands in the rest', async () => {
  world.simulator.settings.documentTemplates = ['0', '1'].map((fileId) => ({ fileId, name: `${fileId}.pdf` }));
  await world.submit('to-sign');
  const fileIds = await filesToSign(world, 'to-sign');
  const page = await openTab();
  await page.getByRole('link', { name: 'to-sign' }).click();
  const signatures = await Promise.all(fileIds.map((fileId) => signed(world, 'to-sign', fileId)));
  await page.locator('input[type=file]').setInputFiles(signatureFiles(signatures));
  isFatal = (request) => request.startsWith('PUT ') && request.includes(`to-sign/signatures/${fileIds[1]}`);
  await page.getByRole('button', { name: `Hand in ${fileIds.length} signatures` }).click();
  await page.getByText('Handed in: 0.sig. Unknown: 1.sig.').waitFor();
  const again = page.getByRole('button', { name: /^Hand in/ });
  await expect.poll(() => again.isDisabled()).toBe(true);
  await lookAt(page, 'sign-broken-off');
  await startAgain(page);
  await page.getByText('a signature arrived').first().waitFor();
  await page.getByRole('button', { name: /^Hand in/, disabled: false }).click();
  await page.getByText(/^\d handed in\.$/).waitFor();
  await world.until('to-sign', ({ waitingFor }) => waitingFor !== 'signatures', { signing: false });
});

test('of a decision that met no console, and of one that broke off, the page says what the order shows later', async () => {
  for (const isRefused of [true, false]) {
    const orderRef = isRefused ? 'refused' : 'half-decided';
    await untilOffers(world, orderRef);
    // A browser opens six connections to one server.
    for (const open of context.pages()) await open.close();
    const page = await openTab();
    const sent = page.locator('header.bar .sent', { hasText: orderRef });
    await page.getByRole('link', { name: orderRef }).click();
    await press(page, 'Take none…');
    if (isRefused) await served.kill();
    else isFatal = (request) => /^PUT .*decision\.json/.test(request);
    await press(page, 'Take no offer', 'Close');
    await sent.getByText('Sent; the outcome is not known yet').waitFor();
    await startAgain(page);
    if (isRefused) await press(page, 'Take none…', 'Take no offer');
    await sent.getByText('Sent. The order shows: A decision arrived').waitFor();
  }
});
