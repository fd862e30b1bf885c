import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { inOne, type Said } from '../../console/page/messages/said.ts';
import { waiting } from '../../core/order/order-record.ts';
import { answer, creating, inject, loseAnswer } from '../helpers/faults.ts';
import { NO_OFFERS, openWorld, SIGNATURES_AT_ONCE } from '../helpers/open-world.ts';
import { submitAndAbort } from '../helpers/signatures.ts';
import { DAY } from '../helpers/world.ts';
import { cutIn, lookAt, openBrowser } from './browser.ts';

const settings = { ...SIGNATURES_AT_ONCE, ...NO_OFFERS };
const world = await openWorld({ settings, ordersGoOn: true, isNew: true });
const { open } = await openBrowser(world);

const TEXTS = {
  toRepair: ['To repair 19', 'К оператору 19'],
  resolve: ['Resolve the creation: 5 orders', 'Уточнить создание: 5 заявок'],
  none: ['It has none of the others', 'Остальных у него нет'],
  retry: ['Retry: 16 orders', 'Повторить: 16 заявок'],
  dismiss: ['Dismiss: 3 orders', 'Снять: 3 заявки'],
  reason: ['Reason, without personal data', 'Причина, без персональных данных'],
  done: ['Done: ', 'Сделано: '],
  heals: ['Go on by themselves: ', 'Продолжатся сами: '],
  retried: ['A retry repairs them: ', 'Поможет повтор: '],
  look: ['Need a look: ', 'Нужно посмотреть: '],
  nothing: ['Nothing to do: it goes on by itself.', 'Делать ничего не нужно: она продолжится сама.'],
  abort: ['Abort: 1 order…', 'Остановить: 1 заявка…'],
  leftOut: ['They have stopped already.', 'Они уже стоят.'],
  pause: ['Pause the stage', 'Приостановить стадию'],
  paused: ['The stage is paused since', 'Стадия приостановлена с'],
  resume: ['Resume the stage', 'Возобновить стадию'],
} satisfies Said;
const LANGUAGES = ['en', 'ru'] as const;
const wordsIn = (language: 'en' | 'ru') => inOne(TEXTS, language === 'en' ? 0 : 1);

/** 25 orders that stopped in a night: 6 by an outage, 11 were aborted, 5 creations of unknown outcome, and 3 that were refused. */
async function badNight(language: string): Promise<void> {
  const stop = async (what: string, count: number, stopOne: (orderRef: string) => Promise<unknown>) => {
    for (let at = 0; at < count; at += 1) await stopOne(`${what}-${at}-${language}`);
  };
  await stop('aborted', 11, (orderRef) => submitAndAbort(world, orderRef));
  await stop('unknown', 5, (orderRef) => {
    inject(world.simulator, 'after', creating, loseAnswer);
    return world.submitToEnd(orderRef);
  });
  await stop('refused', 3, (orderRef) => {
    inject(world.simulator, 'before', creating, answer(400));
    return world.submitToEnd(orderRef);
  });
  await stop('outage', 6, async (orderRef) => {
    await submitAndAbort(world, orderRef);
    const at = new Date(world.clock.now() + DAY).toISOString();
    const failure = { error: 'ServiceUnavailable', cause: 'It did not answer.', at };
    await world.rewrite(orderRef, { ...waiting('service'), failure, resume: { at } });
  });
}

const expectCalm = async (shown: Locator) => expect(await shown.locator('.bad, .failure').count()).toBe(0);

test.each(LANGUAGES)('an operator repairs 25 stopped orders with eight clicks (%s)', async (language) => {
  const words = wordsIn(language);
  await badNight(language);
  const page = await open(`/?search=-${language}`, { locale: language });
  const dialog = page.getByRole('dialog');
  let clicks = 0;
  const click = async (role: 'link' | 'button', name: string, within: Page | typeof dialog = page) => {
    await within.getByRole(role, { name, exact: true }).click();
    clicks += 1;
  };
  /** The focus is on the button that closes the dialog. */
  const close = async (count: number) => {
    await dialog.getByText(`${words.done}${count} `).waitFor();
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
  };
  await click('link', words.toRepair);
  await page.getByText(`${words.heals}6`).waitFor();
  await lookAt(page, `repair-${language}`);
  await click('button', `${words.resolve}…`);
  await click('button', words.none);
  await lookAt(page, `resolve-${language}`);
  await click('button', words.resolve, dialog);
  await close(5);
  await click('button', `${words.retry}…`);
  await click('button', words.retry, dialog);
  await close(16);
  await click('button', `${words.dismiss}…`);
  expect(await dialog.getByRole('button', { name: words.dismiss }).isDisabled()).toBe(true);
  await dialog.getByLabel(words.reason).fill('Submitted again');
  await click('button', words.dismiss, dialog);
  await close(3);
  expect(clicks).toBe(8);
  await expect.poll(() => page.locator('.repairs .main').count()).toBe(0);
  const healing = page.locator('tr', { hasText: `outage-0-${language}` });
  await healing.locator('.calm').waitFor();
  await expectCalm(healing);
  await page.getByRole('link', { name: `outage-0-${language}` }).click();
  await page.getByRole('heading', { name: words.nothing }).waitFor();
  expect(await page.locator('.todo .main').count()).toBe(0);
  await expectCalm(page.locator('main'));
  await lookAt(page, `heals-${language}`);
  for (let at = 0; at < 11; at += 1)
    await world.until(`aborted-${at}-${language}`, ({ generation }) => generation === 2);
  for (let at = 0; at < 3; at += 1)
    expect(await world.record(`refused-${at}-${language}`)).toMatchObject({ waitingFor: 'nobody' });
  world.aws.discardExecutions();
});

test.each(LANGUAGES)(
  'what cannot be done is said before, and the stage is paused and resumed (%s)',
  async (language) => {
    const words = wordsIn(language);
    await submitAndAbort(world, `stopping-${language}`);
    await world.submitToSign(`running-${language}`);
    const page = await open(`/?search=ing-${language}`, { locale: language });
    for (const name of ['stopping', 'running'])
      await page
        .getByRole('row', { name: `${name}-${language}` })
        .getByRole('checkbox')
        .check();
    await page.getByRole('button', { name: words.abort }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(`stopping-${language}. ${words.leftOut}`).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: `${words.pause}…` }).click();
    await dialog.getByLabel(words.reason).fill('Maintenance');
    await lookAt(page, `pause-${language}`);
    await dialog.getByRole('button', { name: words.pause }).click();
    await page.keyboard.press('Enter');
    await page.getByText(words.paused).waitFor();
    await page.getByRole('button', { name: `${words.resume}…` }).click();
    await dialog.getByText('Maintenance').waitFor();
    await dialog.getByRole('button', { name: words.resume }).click();
    await page.keyboard.press('Enter');
    await page.getByText(words.paused).waitFor({ state: 'detached' });
    await world.abort(`running-${language}`);
  },
);

const KINDS = [
  [90, 'service', 'ServiceUnavailable'],
  [70, 'operator', 'ServiceUnavailable'],
  [25, 'operator', 'Unauthorized'],
  [15, 'operator', 'Rejected'],
] as const;

test.each(LANGUAGES)('after a night with 200 stopped orders, one view says what each needs (%s)', async (language) => {
  const words = wordsIn(language);
  const at = new Date().toISOString();
  for (const [count, party, error] of KINDS)
    for (let number = 0; number < count; number += 1) {
      const orderRef = `night-${party}-${error}-${number}`;
      const failure = { failure: { error, cause: 'It was so.', at }, ...(party === 'service' && { resume: { at } }) };
      const order = { orderRef, item: 'order', status: 'IN_WORK', generation: 1, changedAt: at, createdAt: at };
      const Item = { ...order, ...waiting(party), ...failure };
      await world.dynamodb.send(new PutCommand({ TableName: world.outputs.OrderTable, Item }));
    }
  const page = await open('/?queue=repair&search=night', { locale: language });
  const said = [`${words.retried}70`, `${words.look}40`, `${words.heals}90`];
  await expect.poll(() => page.locator('.repairs h2').allTextContents()).toEqual(said);
  for (const text of said) {
    const { y = 0, height = 0 } = (await page.getByRole('heading', { name: text }).boundingBox()) ?? {};
    expect(y > 0 && y + height < 800).toBe(true);
  }
  expect(await page.locator('.repairs .main').count()).toBe(1);
  expect(await page.locator('.repairs .check').count()).toBe(4);
  expect(await cutIn(page)).toEqual([]);
  await lookAt(page, `night-${language}`);
});
