import { expect, test } from 'vitest';
import { lookAt, openBrowser } from '../helpers/browser.ts';
import { openWorld } from '../helpers/open-world.ts';
import { submit } from '../helpers/packages.ts';
import { filesToSign } from '../helpers/signatures.ts';

const world = await openWorld({ ordersGoOn: true });
const { open } = await openBrowser(world);

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
