import { randomUUID } from 'node:crypto';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openWorld } from '../helpers/open-world.ts';
import { lookAt, openBrowser } from './browser.ts';

/** A quarter of them is over, of which the page lists the last 100: 10,000 in all. */
const ORDERS = 13_200;
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
const refOf = (position: number) => `order-${String(position).padStart(5, '0')}`;

function record(position: number) {
  const [status, waitingFor] = STATES[position % STATES.length] ?? STATES[0];
  const changedAt = new Date(Date.now() - position * 97_000).toISOString();
  const failure = waitingFor === 'operator' && { failure: { error: 'Rejected', cause: 'Refused.', at: changedAt } };
  return {
    orderRef: refOf(position),
    orderId: randomUUID(),
    item: 'order',
    status,
    waitingFor,
    openFor: waitingFor === 'nobody' ? 'files-to-remove' : waitingFor,
    generation: 1,
    changedAt,
    createdAt: changedAt,
    ...failure,
  };
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
  const answers = new Map<string, { path: string; bytes: number }>();
  let shown = '';
  session.on('Network.responseReceived', ({ requestId, loaderId, type, response }) => {
    if (type === 'Document') shown = loaderId;
    // The page before it may still get an answer.
    if (loaderId !== shown) return;
    answers.set(requestId, { path: new URL(response.url).pathname, bytes: response.encodedDataLength });
  });
  session.on('Network.dataReceived', ({ requestId, encodedDataLength }) => {
    const answer = answers.get(requestId);
    if (answer) answer.bytes += encodedDataLength;
  });
  await session.send('Network.enable');
  return answers;
}

const PAGE = ['/', '/style.css', '/page.js'];

test('10,000 orders are drawn as the rows that can be seen, filtered and searched, and a change travels alone', async () => {
  const page = await open('/submit');
  const answers = await answersTo(page);
  await page.goto(new URL('/', page.url()).href);
  await page.getByText('10,000 orders').waitFor();
  await page.getByRole('link', { name: refOf(0) }).waitFor();
  const paths = () => [...answers.values()].map(({ path }) => path);
  expect(new Set(paths())).toEqual(new Set([...PAGE, '/api/stage', '/api/orders']));
  const bytesOf = (isPage: boolean) =>
    [...answers.values()].reduce((sum, { path, bytes }) => sum + (PAGE.includes(path) === isPage ? bytes : 0), 0);
  const [ofPage, ofOrders] = [bytesOf(true), bytesOf(false)];
  process.stdout.write(`First view: ${ofPage / 1000} KB of the page, ${ofOrders / 1000} KB of 10,000 orders.\n`);
  expect(ofPage).toBeLessThan(100_000);
  expect(ofOrders).toBeLessThan(600_000);
  const drawn = await page.evaluate(async () => {
    const frame = document.querySelector('.frame') as HTMLElement;
    frame.scrollTop = frame.scrollHeight / 2;
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    return { rows: frame.querySelectorAll('tbody tr').length, elements: document.querySelectorAll('*').length };
  });
  expect(drawn.rows).toBeLessThan(80);
  expect(drawn.elements).toBeLessThan(900);
  await lookAt(page, 'many-orders');
  await page.getByRole('link', { name: 'To decide 1,650' }).click();
  await page.getByText('1,650 orders').waitFor();
  await page.getByRole('link', { name: 'All 10,000' }).click();
  answers.clear();
  await page.getByLabel('Search orders').pressSequentially('order-0999');
  await page.getByText('6 orders').waitFor();
  // The search requests nothing: what is asked again and again has no news.
  expect(new Set(paths())).toEqual(new Set(['/api/orders']));
  expect(bytesOf(false)).toBeLessThan(10_000);
  await page.getByLabel('Search orders').fill(refOf(7776));
  await page.getByRole('row', { name: /In work/ }).waitFor();
  await write([
    {
      ...record(7776),
      ...{ status: 'OFFERS_AVAILABLE', waitingFor: 'decision', openFor: 'decision' },
      changedAt: new Date().toISOString(),
    },
  ]);
  await page.getByRole('row', { name: /Offers available/ }).waitFor();
});
