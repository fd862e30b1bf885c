import type { RecordedCall } from '@business-loan-orders/order-simulator';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { checkCalls } from '../../../test/helpers/contract.ts';
import { inject, loseAnswer } from '../../../test/helpers/faults.ts';
import type { InnBatch } from '../../core/inn-batch.ts';
import { openExchangeWorld } from '../helpers/open-world.ts';
import '../helpers/contract.ts';

/** The SDK makes this many attempts at a request before its function fails. */
const SDK_ATTEMPTS = 4;
let failing: { operation: string; part: string; left: number } | undefined;
const world = await openExchangeWorld({
  requestWrapper: async ({ operation, path, body }) => {
    if (!failing?.left || operation !== failing.operation || !`${path}${body}`.includes(failing.part)) return undefined;
    failing.left -= 1;
    return { status: 500, code: 'InternalServerError' };
  },
});
const { exchange } = world.simulator;

const good = ['7707083893', '7830002293', '500100732259'];
const returning = (call: RecordedCall) => call.route === '/inns' && call.method === 'POST';
/** Starts a run one minute later, because batches are ordered by their time. */
const fetchInns = () => {
  world.clock.advanceTo(world.clock.now() + 60_000);
  return world.run({ work: 'fetch-inns' });
};
/** The staged batches, oldest first. */
const batches = async () => (await world.stagedTexts('legacy/inns/')).map((text) => JSON.parse(text ?? '') as InnBatch);
const lastBatch = async () => (await batches()).at(-1)?.numbers;
const offer = (inn: string) => ({ inn, amount: 5_000_000 });

/** Makes AWS fail the next request of this operation whose path or body contains `part`, in all attempts of the SDK. */
function failOnce(operation: string, part: string): void {
  failing = { operation, part, left: SDK_ATTEMPTS };
}

const send = (batch: string, content: unknown) => world.send(`legacy/offers/${batch}.json`, content);

/** The result of the first run that found numbers, and its batch. */
let result: Record<string, unknown>;
let first: InnBatch;

beforeAll(async () => {
  expect(await fetchInns()).toMatchObject({ status: 'SUCCEEDED', result: { received: 0 } });
  expect(await batches()).toEqual([]);
  exchange.addTaxNumbers([...good, '7707083894', '500100732258', '0000000000', '123', '7707083893']);
  ({ result } = await fetchInns());
  [first] = (await batches()) as [InnBatch];
});

/** All calls keep to the contract. No execution and no log line contains a tax number. */
afterAll(async () => {
  expect(checkCalls(world.simulator.calls())).toEqual([]);
  for (const text of await world.readable())
    for (const inn of [...good, '7707083894', '7728168971', '7736207543']) expect(text).not.toContain(inn);
});

test('tax numbers are staged for scoring, and invalid ones are kept separately', () => {
  expect(result).toMatchObject({ received: 8, kept: 3, unusable: 5 });
  expect(first.numbers).toEqual(good);
  expect(first.invalid.map(({ position, received }) => [position, received])).toEqual([
    [3, '7707083894'],
    [4, '500100732258'],
    [5, '0000000000'],
    [6, '123'],
    [7, '7707083893'],
  ]);
});

test('numbers that stay in the list make no new batch, and new numbers make their own batch', async () => {
  await fetchInns();
  const before = (await batches()).length;
  expect(await fetchInns()).toMatchObject({ result: { received: 0 } });
  exchange.addTaxNumbers(['7728168971']);
  expect(await fetchInns()).toMatchObject({ result: { received: 1, kept: 1 } });
  expect(await batches()).toHaveLength(before + 1);
  expect(await lastBatch()).toEqual(['7728168971']);
});

test('a repeated step uses the staged numbers and does not need the list again, and they make no second batch', async () => {
  exchange.settings.taxNumbersListed = 'once';
  onTestFinished(() => {
    exchange.settings.taxNumbersListed = 'until-offered';
  });
  await fetchInns();
  exchange.addTaxNumbers(['7736207543']);
  failOnce('PUT', 'inns-listed.json');
  const { executionArn, status, result } = await fetchInns();
  expect({ status, kept: result.kept }).toEqual({ status: 'SUCCEEDED', kept: 1 });
  expect((await world.history(executionArn)).map(({ type }) => type)).toContain('TaskFailed');
  expect(await lastBatch()).toEqual(['7736207543']);
  exchange.addTaxNumbers(['7736207543']);
  expect(await fetchInns()).toMatchObject({ result: { received: 0 } });
});

test('offers for a batch are sent to the exchange unchanged', async () => {
  const before = exchange.offers().length;
  const text = '{"offers":[{"inn":"7707083893","amount":5000000.10},{"inn":"500100732259","rate":12.50}]}';
  expect(await send(first.batch, text)).toMatchObject({ outcome: 'sent', batch: first.batch });
  const [call] = world.simulator.calls().filter(returning).slice(-1);
  expect(call?.requestBody).toMatchObject({
    text: '[{"inn":"7707083893","amount":5000000.10},{"inn":"500100732259","rate":12.50}]',
  });
  expect(exchange.offers()).toHaveLength(before + 1);
});

test('offers with a tax number of another batch are rejected as a whole, and no call is made', async () => {
  const before = world.simulator.calls().filter(returning).length;
  const { outcome, problems } = await send(first.batch, { offers: [offer('7707083893'), offer('7728168971')] });
  expect([outcome, problems?.map(({ path }) => path)]).toEqual(['rejected', ['$.offers[1].inn']]);
  expect(world.simulator.calls().filter(returning)).toHaveLength(before);
});

test('offers for a batch that was never received are rejected', async () => {
  const { outcome, problems } = await send('20260101T000000Z-00000000', { offers: [offer('7707083893')] });
  expect([outcome, problems?.map(({ path }) => path)]).toEqual(['rejected', ['$']]);
});

test('offers whose outcome is unknown are not sent again until they are uploaded again', async () => {
  const content = { offers: [offer('7830002293')] };
  const before = exchange.offers().length;
  inject(world.simulator, 'after', returning, loseAnswer);
  const { outcome, failure } = await send(first.batch, content);
  expect([outcome, failure?.error]).toEqual(['failed', 'OutcomeUnknown']);
  expect(failure?.next).toContain('It is unknown whether the bank exchange has the file');
  expect(exchange.offers()).toHaveLength(before + 1);
  expect(await send(first.batch, content)).toMatchObject({ outcome: 'sent' });
  expect(exchange.offers()).toHaveLength(before + 2);
});

test('offers whose outcome AWS failed to record are not sent again by the retry', async () => {
  const before = exchange.offers().length;
  failOnce('UpdateItem', '"item":{"S":"operation#return-offers"}');
  const { failure } = await send(first.batch, { offers: [offer('7830002293')] });
  expect(failure?.error).toBe('OutcomeUnknown');
  expect(exchange.offers()).toHaveLength(before + 1);
});
