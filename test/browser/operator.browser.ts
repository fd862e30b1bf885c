import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { inOne, type Said } from '../../console/page/messages/said.ts';
import { waiting } from '../../core/order/order-record.ts';
import { answer, creating, inject, loseAnswer, type ServiceFault } from '../helpers/faults.ts';
import { NO_OFFERS, openWorld, SIGNATURES_AT_ONCE } from '../helpers/open-world.ts';
import { submitAndAbort } from '../helpers/signatures.ts';
import { cutIn, lookAt, openBrowser } from './browser.ts';

const settings = { ...SIGNATURES_AT_ONCE, ...NO_OFFERS };
const world = await openWorld({ settings, ordersGoOn: true, isNew: true });
const { open } = await openBrowser(world);

const TEXTS = {
  toRepair: ['To repair', 'К оператору'],
  resolve: ['Resolve the creation: 5 orders', 'Уточнить создание: 5 заявок'],
  none: ['It has none of the others', 'Остальных у него нет'],
  retry: ['Retry: 11 orders', 'Повторить: 11 заявок'],
  dismiss: ['Dismiss: 3 orders', 'Снять: 3 заявки'],
  reason: ['Reason, without personal data', 'Причина, без персональных данных'],
  done: ['Done: ', 'Сделано: '],
  heals: ['Go on by themselves: ', 'Продолжатся сами: '],
  retried: ['A retry repairs them: ', 'Поможет повтор: '],
  look: ['Need a look: ', 'Нужно посмотреть: '],
  nothing: ['Nothing to do: it goes on by itself.', 'Делать ничего не нужно: она продолжится сама.'],
  abort: ['Abort: 2 orders', 'Остановить: 2 заявки'],
  leftOut: ['They have stopped already.', 'Они уже стоят.'],
  pause: ['Pause the stage', 'Приостановить стадию'],
  resume: ['Resume the stage', 'Возобновить стадию'],
} satisfies Said;
const LANGUAGES = ['en', 'ru'] as const;
const wordsIn = (language: 'en' | 'ru') => inOne(TEXTS, language === 'en' ? 0 : 1);

/** An order as it is listed: it has no execution, and nothing of it is at the service. */
async function stopped(party: 'service' | 'operator', error: string, orderRef: string): Promise<void> {
  const at = new Date(world.clock.now()).toISOString();
  const failure = { failure: { error, cause: 'It was so.', at }, ...(party === 'service' && { resume: { at } }) };
  const order = { orderRef, item: 'order', status: 'IN_WORK', generation: 1, changedAt: at, createdAt: at };
  const Item = { ...order, ...waiting(party), ...failure };
  await world.dynamodb.send(new PutCommand({ TableName: world.outputs.OrderTable, Item }));
}

async function repeat(count: number, each: (at: number) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < count; at += 1) await each(at);
}

async function hang(orderRef: string, when: 'before' | 'after', fault: ServiceFault): Promise<void> {
  inject(world.simulator, when, creating, fault);
  await world.submitToEnd(orderRef);
}

const expectCalm = async (shown: Locator) => expect(await shown.locator('.bad, .failure').count()).toBe(0);

test.each(LANGUAGES)('an operator repairs 25 stopped orders with eight clicks (%s)', async (language) => {
  const words = wordsIn(language);
  await repeat(11, (at) => stopped('service', 'ServiceUnavailable', `outage-${at}-${language}`));
  await repeat(6, (at) => submitAndAbort(world, `aborted-${at}-${language}`));
  await repeat(5, (at) => hang(`unknown-${at}-${language}`, 'after', loseAnswer));
  await repeat(3, (at) => hang(`refused-${at}-${language}`, 'before', answer(400)));
  const page = await open(`/?search=-${language}`, { locale: language });
  const dialog = page.getByRole('dialog');
  let clicks = 0;
  const click = async (role: 'link' | 'button', name: string, within: Page | Locator = page) => {
    await within.getByRole(role, { name, exact: role === 'button' }).click();
    clicks += 1;
  };
  /** The focus is on the button that closes the dialog. */
  const close = async (count: number) => {
    await dialog.getByText(`${words.done}${count} `).waitFor();
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
  };
  await click('link', words.toRepair);
  await lookAt(page, `repair-${language}`);
  await click('button', `${words.resolve}…`);
  await click('button', words.none);
  await click('button', words.resolve, dialog);
  await close(5);
  await click('button', `${words.retry}…`);
  await click('button', words.retry, dialog);
  await close(11);
  await click('button', `${words.dismiss}…`);
  expect(await dialog.getByRole('button', { name: words.dismiss }).isDisabled()).toBe(true);
  await dialog.getByLabel(words.reason).fill('Submitted again');
  await click('button', words.dismiss, dialog);
  await close(3);
  expect(clicks).toBe(8);
  await expect.poll(() => page.locator('.repairs .main').count()).toBe(0);
  await page.getByRole('heading', { name: `${words.heals}11` }).waitFor();
  await expectCalm(page.locator('tr', { hasText: `outage-10-${language}` }));
  await repeat(3, async (at) =>
    expect(await world.record(`refused-${at}-${language}`)).toMatchObject({ waitingFor: 'nobody' }),
  );
  await world.until(`aborted-0-${language}`, ({ generation }) => generation === 2);
});

test.each(LANGUAGES)('an order that heals is calm, and what cannot be done is said before (%s)', async (language) => {
  const words = wordsIn(language);
  const orderRef = `stopping-${language}`;
  const running = [`running-${language}`, `jogging-${language}`];
  await submitAndAbort(world, orderRef);
  for (const one of running) await world.submitToSign(one);
  const page = await open(`/?search=ing-${language}`, { locale: language });
  for (const name of [orderRef, ...running]) await page.getByRole('row', { name }).getByRole('checkbox').check();
  await page.getByRole('button', { name: `${words.abort}…` }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(`${orderRef}. ${words.leftOut}`).waitFor();
  await dialog.getByRole('button', { name: words.abort }).click();
  await dialog.getByText(`${words.done}2 `).waitFor();
  await page.keyboard.press('Enter');
  for (const one of running) await world.until(one, ({ failure }) => failure?.error === 'AbortedByOperator');
  await page.getByRole('button', { name: `${words.pause}…` }).click();
  await dialog.getByLabel(words.reason).fill('Maintenance');
  await lookAt(page, `pause-${language}`);
  await dialog.getByRole('button', { name: words.pause }).click();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: `${words.resume}…` }).click();
  await dialog.getByText('Maintenance').waitFor();
  await dialog.getByRole('button', { name: words.resume }).click();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: `${words.pause}…` }).waitFor();
  const { failure } = (await world.record(orderRef)) ?? {};
  await world.rewrite(orderRef, { ...waiting('service'), failure, resume: { at: failure?.at } });
  await page.goto(new URL(`/orders/${orderRef}`, page.url()).href);
  await page.getByRole('heading', { name: words.nothing }).waitFor();
  expect(await page.locator('.todo .main').count()).toBe(0);
  await expectCalm(page.locator('main'));
});

test.each(LANGUAGES)('after a night with 200 stopped orders, one view says what each needs (%s)', async (language) => {
  const words = wordsIn(language);
  await repeat(90, (at) => stopped('service', 'ServiceUnavailable', `night-heals-${at}`));
  await repeat(70, (at) => stopped('operator', 'ServiceUnavailable', `night-retry-${at}`));
  await repeat(40, (at) => stopped('operator', at < 15 ? 'Rejected' : 'Unauthorized', `night-look-${at}`));
  const page = await open('/?queue=repair&search=night', { locale: language });
  const said = [`${words.retried}70`, `${words.look}40`, `${words.heals}90`];
  await expect.poll(() => page.locator('.repairs h2').allTextContents()).toEqual(said);
  for (const name of said) {
    const { y = 0, height = 0 } = (await page.getByRole('heading', { name }).boundingBox()) ?? {};
    expect(y > 0 && y + height < 800).toBe(true);
  }
  expect(await page.locator('.repairs .main').count()).toBe(1);
  expect(await page.locator('.repairs .check').count()).toBe(4);
  expect(await cutIn(page)).toEqual([]);
  await lookAt(page, `night-${language}`);
});
