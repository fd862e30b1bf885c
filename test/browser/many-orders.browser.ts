import { randomUUID } from 'node:crypto';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { waiting } from '../../core/order/order-record.ts';
import { openWorld } from '../helpers/open-world.ts';
import { DAY } from '../helpers/world.ts';
import { lookAt, openBrowser } from './browser.ts';

/** A fifth of them is over, of which the page lists the last 100: 10,100 in all. */
const ORDERS = 12_500;
const LISTED = 10_100;
const STATES = [
  ['IN_WORK', 'service'],
  ['WAITING_FOR_DOCUMENTS', 'service'],
  ['WAITING_FOR_SIGNATURE', 'signatures'],
  ['OFFERS_AVAILABLE', 'decision'],
  ['OFFERS_APPROVED', 'service'],
  ['WAITING_FOR_SIGNATURE', 'signatures'],
  ['OFFERS_AVAILABLE', 'decision'],
  ['IN_WORK', 'operator'],
  ['CLOSED', 'nobody'],
  ['CLOSED', 'nobody'],
] as const;

const world = await openWorld({ isNew: true });
const refOf = (position: number) => `order-${String(position).padStart(5, '0')}`;

/** As long as real ones, and as hard to compress. */
function record(position: number) {
  const [status, waitingFor] = STATES[position % STATES.length] ?? STATES[0];
  const [changedAt, createdAt, due] = [0, -5, 9].map((days) =>
    new Date(Date.now() - position * 97_123 + days * DAY).toISOString(),
  );
  const failure = waitingFor === 'operator' && { failure: { error: 'Rejected', cause: 'Refused.', at: changedAt } };
  const labels = {
    company: `ООО «Строительная компания ${(position * 7919) % 1_000_003}»`,
    inn: `${7_700_000_000 + ((position * 104_729) % 99_999_999)}`,
    ...{ amount: 1_000_000 + position * 1_250, currency: 'RUB' },
  };
  const asked = waitingFor === 'decision' && { due, labels: { ...labels, bank: 'First Bank; Third Bank' } };
  const item = { orderRef: refOf(position), orderId: randomUUID(), item: 'order', status, generation: 1, labels };
  const times = { changedAt, createdAt, statusSince: changedAt };
  return { ...item, ...times, ...waiting(waitingFor), ...failure, ...asked };
}

const write = (items: object[]) =>
  world.dynamodb.send(
    new BatchWriteCommand({
      RequestItems: { [world.outputs.OrderTable ?? '']: items.map((Item) => ({ PutRequest: { Item } })) },
    }),
  );

for (let from = 0; from < ORDERS; from += 25) await write(Array.from({ length: 25 }, (_item, at) => record(from + at)));
// Its list is read whole once: records that are as old as these are not noticed later.
const { open } = await openBrowser(world);

async function answersTo(page: Page) {
  const session = await page.context().newCDPSession(page);
  const answers = new Map<string, { path: string; status: number; bytes: number }>();
  let shown = '';
  session.on('Network.responseReceived', ({ requestId, loaderId, type, response }) => {
    if (type === 'Document') shown = loaderId;
    // The page before it may still get an answer.
    if (loaderId !== shown) return;
    const { url, status, encodedDataLength: bytes } = response;
    answers.set(requestId, { path: new URL(url).pathname, status, bytes });
  });
  session.on('Network.dataReceived', ({ requestId, encodedDataLength }) => {
    const answer = answers.get(requestId);
    if (answer) answer.bytes += encodedDataLength;
  });
  await session.send('Network.enable');
  return answers;
}

const SAME = 304;
const PAGE = ['/', '/style.css', '/page.js'];

test('10,100 orders are drawn as the rows that can be seen, filtered and searched, and a change travels alone', async () => {
  const page = await open('/submit');
  const answers = await answersTo(page);
  await page.goto(new URL('/', page.url()).href);
  await page.getByText('10,100 orders').waitFor();
  await page.getByRole('row', { name: refOf(0) }).waitFor();
  const paths = () => [...answers.values()].filter(({ status }) => status !== SAME).map(({ path }) => path);
  // The page may already have asked what changed.
  expect(new Set(paths())).toEqual(new Set([...PAGE, '/api/stage', '/api/orders']));
  const bytesOf = (isPage: boolean) =>
    [...answers.values()].reduce((sum, { path, bytes }) => sum + (PAGE.includes(path) === isPage ? bytes : 0), 0);
  const [ofPage, ofOrders] = [bytesOf(true), bytesOf(false)];
  process.stdout.write(`First view: ${ofPage / 1000} KB of the page, ${ofOrders / LISTED} bytes an order.\n`);
  expect(ofPage).toBeLessThan(100_000);
  expect(ofOrders / LISTED).toBeLessThan(100);
  const drawn = await page.evaluate(async () => {
    const frame = document.querySelector('.frame') as HTMLElement;
    frame.scrollTop = frame.scrollHeight / 2;
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    return { rows: frame.querySelectorAll('tbody tr').length, elements: document.querySelectorAll('*').length };
  });
  expect(drawn.rows).toBeLessThan(80);
  expect(drawn.elements).toBeLessThan(900);
  await lookAt(page, 'many-orders');
  await page.getByRole('link', { name: 'To decide 2,500' }).click();
  await page.getByText('2,500 orders').waitFor();
  await page.getByRole('link', { name: 'All 10,100' }).click();
  answers.clear();
  await page.getByLabel('Search orders').pressSequentially('order-0999');
  await page.getByText('8 orders').waitFor();
  // The search requests nothing: what is asked again and again has no news.
  expect(paths()).toEqual([]);
  expect(bytesOf(false)).toBeLessThan(10_000);
  // Paper has the rows that the window does not draw.
  await page.getByLabel('Search orders').fill('order-099');
  await page.getByText('80 orders').waitFor();
  await page.emulateMedia({ media: 'print' });
  await expect.poll(() => page.locator('tr[data-index]').count()).toBe(80);
  await page.emulateMedia({ media: null });
  await page.getByLabel('Search orders').fill(refOf(7770));
  await page.getByRole('row', { name: /In work/ }).waitFor();
  const decided = { status: 'OFFERS_AVAILABLE', ...waiting('decision'), changedAt: new Date().toISOString() };
  await write([{ ...record(7770), ...decided }]);
  await page.getByRole('row', { name: /Offers available/ }).waitFor();
});
