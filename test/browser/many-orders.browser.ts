import { gzipSync } from 'node:zlib';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, test } from 'vitest';
import { pageFiles } from '../../console/server/page-files.ts';
import { SHELL } from '../../console/server/shell.ts';
import { lookAt, openBrowser } from '../helpers/browser.ts';
import { openWorld } from '../helpers/open-world.ts';

const ORDERS = 10_000;
const STATES = [
  ['IN_WORK', 'service'],
  ['WAITING_FOR_DOCUMENTS', 'service'],
  ['WAITING_FOR_SIGNATURE', 'signatures'],
  ['OFFERS_AVAILABLE', 'decision'],
  ['OFFERS_APPROVED', 'service'],
  ['IN_WORK', 'operator'],
  ['CLOSED', 'nobody'],
  ['CLOSED', 'nobody'],
] as const;

const world = await openWorld({ isNew: true });
const { open } = await openBrowser(world);
const table = DynamoDBDocumentClient.from(new DynamoDBClient(world.aws.clientSettings));
const refOf = (position: number) => `order-${String(position).padStart(5, '0')}`;

function record(position: number) {
  const [status, waitingFor] = STATES[position % STATES.length] ?? STATES[0];
  const changedAt = new Date(Date.now() - position * 97_000).toISOString();
  const failure = waitingFor === 'operator' && { failure: { error: 'Rejected', cause: 'Refused.', at: changedAt } };
  return {
    orderRef: refOf(position),
    item: 'order',
    status,
    waitingFor,
    generation: 1,
    changedAt,
    createdAt: changedAt,
    ...failure,
  };
}

const write = (items: object[]) =>
  table.send(
    new BatchWriteCommand({
      RequestItems: { [world.outputs.OrderTable ?? '']: items.map((Item) => ({ PutRequest: { Item } })) },
    }),
  );

beforeAll(async () => {
  for (let from = 0; from < ORDERS; from += 25) {
    await write(Array.from({ length: 25 }, (_item, at) => record(from + at)));
  }
});

test('the first view is under 150 KB compressed', async () => {
  const parts = [...(await pageFiles()).values()].map(({ content }) => content);
  const files = [Buffer.from(SHELL), ...parts];
  const bytes = files.reduce((sum, content) => sum + gzipSync(content).length, 0);
  process.stdout.write(`First view: ${(bytes / 1000).toFixed(1)} KB compressed.\n`);
  expect(bytes).toBeLessThan(150_000);
});

test('10,000 orders are drawn as the rows that can be seen, filtered and searched, and a change travels alone', async () => {
  const page = await open('/');
  await page.getByText('10,000 orders').waitFor();
  await page.getByRole('link', { name: refOf(0) }).waitFor();
  const measured = await page.evaluate(async () => {
    const shown = performance.now();
    const frame = document.querySelector('.frame') as HTMLElement;
    const begun = performance.now();
    frame.scrollTop = frame.scrollHeight / 2;
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    return {
      shown: Math.round(shown),
      scrolled: Math.round(performance.now() - begun),
      rows: document.querySelectorAll('.list tbody tr').length,
    };
  });
  process.stdout.write(
    `10,000 orders: shown within ${measured.shown} ms of the navigation, scrolled to the middle in ${measured.scrolled} ms.\n`,
  );
  expect(measured.rows).toBeLessThan(80);
  await lookAt(page, 'many-orders');
  await page.getByRole('button', { name: /Offers available/ }).click();
  await page.getByText('1,250 orders').waitFor();
  await page.getByRole('link', { name: 'Show all orders' }).click();
  await page.getByLabel('Search orders').fill('order-0999');
  await page.getByText('10 orders').waitFor();
  await page.getByLabel('Search orders').fill(refOf(7776));
  await page.getByRole('row', { name: /In work/ }).waitFor();
  await write([
    { ...record(7776), status: 'OFFERS_AVAILABLE', waitingFor: 'decision', changedAt: new Date().toISOString() },
  ]);
  await page.getByRole('row', { name: /Offers available/ }).waitFor();
});
