import { setTimeout as delay } from 'node:timers/promises';
import type { ExchangeSimulator } from '../simulator/index.ts';
import type { Bank, UploadAnswer } from './bank.ts';

/** Milliseconds. */
const MINUTE = 60_000;
const LOOK_INTERVAL = 250;
const PATIENCE = 60_000;

const REQUESTS = 250;
/** How many requests arrive after each of the first pages. */
const ARRIVALS = [3, 5, 2];
const GOOD_NUMBERS = ['7707083893', '7736050003', '500100732259'];
/** One has a wrong control digit, the other is too short. */
const WRONG_NUMBERS = ['7707083894', '77070838'];

/** What the parts of the demonstration use. `say` prints a line about a part. */
export interface Stage {
  simulator: ExchangeSimulator;
  bank: Bank;
  startSchedules(): void;
  say(what: string, line: string): void;
  stopped: AbortSignal;
}

/** A check of the demonstration failed. The message says which. */
export class NotAsClaimed extends Error {
  override readonly name = 'NotAsClaimed';
}

/**
 * Demonstrates the whole obsolete bank exchange (specification, 4.3).
 * @throws NotAsClaimed when a check fails.
 */
export async function showExchange(stage: Stage): Promise<void> {
  const { simulator } = stage;
  simulator.exchange.addTaxNumbers([...GOOD_NUMBERS, ...WRONG_NUMBERS]);
  await showRequests(stage);
  await showStatus(stage);
  await showTaxNumbers(stage);
}

async function showRequests({ simulator, bank, startSchedules, say, stopped }: Stage): Promise<void> {
  const now = Date.now();
  for (let age = REQUESTS; age > 0; age -= 1) simulator.exchange.addRequests(1, now - age * MINUTE);
  const arrivals = [...ARRIVALS];
  simulator.hooks.after = async ({ route }) => {
    const count = route === '/requests' ? arrivals.shift() : undefined;
    if (count) simulator.exchange.addRequests(count);
  };
  say('requests', `the platform lists ${REQUESTS}, newest first, and more arrive while the pages are fetched`);
  startSchedules();
  const first = await until('the scheduled run is complete', stopped, () => watermark(bank));
  const pages = simulator.calls().filter(({ route }) => route === '/requests').length;
  const early = (await bank.stagedKeys('legacy/requests/')).length;
  say('requests', `${early} were staged from ${pages} pages; the next run fetches the late ones`);
  await bank.start({ work: 'fetch-requests' });
  await until('the next run is complete', stopped, async () => (await watermark(bank)) !== first);
  const expected = simulator.exchange.requests().map(({ requestId }) => requestId);
  await claimStagedOnce(bank, expected);
  claim(pages >= 3 && arrivals.length === 0, `only ${pages} pages were fetched`);
  say('requests', `all ${expected.length} are staged once, including ${expected.length - REQUESTS} late ones`);
}

/** When the last complete run that fetched requests started, or undefined before the first one. */
async function watermark({ record }: Bank): Promise<string | undefined> {
  return (await record.all('run')).find(({ work }) => work === 'fetch-requests')?.watermark;
}

/** Checks that each request is staged, and that its current version is the recorded one. */
async function claimStagedOnce(bank: Bank, requestIds: string[]): Promise<void> {
  const recorded = await bank.record.all('request');
  const same = (one: readonly string[], other: readonly string[]) => one.toSorted().join() === other.toSorted().join();
  const known = recorded.map(({ requestId }) => requestId);
  claim(same(known, requestIds), `${known.length} requests are recorded, but the platform has ${requestIds.length}`);
  const keys = recorded.map(({ key }) => key);
  claim(same(await bank.stagedKeys('legacy/requests/'), keys), 'the staged requests are not the recorded ones');
  const versions = await Promise.all(keys.map((key) => bank.stagedVersion(key)));
  const again = recorded.filter(({ versionId }, index) => versionId !== versions[index]);
  claim(again.length === 0, `${again.length} requests were staged more than once`);
}

async function showStatus({ simulator, bank, say, stopped }: Stage): Promise<void> {
  const [first, second] = simulator.exchange.requests();
  const [good, bad] = [first?.requestId ?? '', second?.requestId ?? ''];
  const status = { newStatus: 'issued', loanAmount: 1_500_000, loanTerm: 24 };
  await bank.put(`legacy/status/${good}.json`, status);
  await bank.put(`legacy/status/${bad}.json`, { newStatus: 'created' });
  const answer = (requestId: string) =>
    until('a status is answered', stopped, () =>
      bank.stagedJson<UploadAnswer | null>(`legacy/status/${requestId}.json`),
    );
  claimOutcome(await answer(good), 'sent', 'the status issued');
  const refused = await answer(bad);
  claimOutcome(refused, 'rejected', 'the status created');
  const taken = simulator.exchange.statuses();
  claim(
    taken.length === 1 && taken[0]?.requestId === good && JSON.stringify(taken[0].body) === JSON.stringify(status),
    `the platform accepted ${taken.length} statuses, or not the uploaded one`,
  );
  say('status', 'issued was sent once');
  for (const { path, problem, fix } of refused.problems ?? []) say('status', `rejected: ${path}: ${problem} ${fix}`);
}

async function showTaxNumbers({ simulator, bank, say, stopped }: Stage): Promise<void> {
  const key = await until('a batch of tax numbers is staged', stopped, async () =>
    (await bank.stagedKeys('legacy/inns/')).find((one) => one.endsWith('.json')),
  );
  const { batch, numbers, invalid } = JSON.parse((await bank.staged(key)) ?? '') as {
    batch: string;
    numbers: string[];
    invalid: unknown[];
  };
  const table = await until('the batch is staged as CSV', stopped, () => bank.staged(`legacy/inns/${batch}.csv`));
  const [, ...rows] = table.trim().split('\r\n');
  claim(numbers.join() === GOOD_NUMBERS.join(), 'the numbers of the batch are not those of the platform');
  claim(rows.map((row) => row.split(',')[0]).join() === numbers.join(), 'JSON and CSV differ');
  const [valid, wrong] = [numbers.length, invalid.length];
  claim(wrong === WRONG_NUMBERS.length, `${wrong} invalid numbers were left out, not ${WRONG_NUMBERS.length}`);
  say('tax numbers', `${valid} are staged for scoring as JSON and CSV, ${wrong} invalid ones are left out`);
  const offers = numbers.map((inn, index) => ({ inn, approvedAmount: 100_000 * (index + 1) }));
  await bank.put(`legacy/offers/${batch}.json`, { offers });
  const answer = await until('the offers are answered', stopped, () =>
    bank.stagedJson<UploadAnswer | null>(`legacy/offers/${batch}.json`),
  );
  claimOutcome(answer, 'sent', 'the offers');
  const taken = simulator.exchange.offers();
  claim(taken.length === 1, `the platform accepted ${taken.length} lists of offers, not 1`);
  claim(JSON.stringify(taken[0]?.offers) === JSON.stringify(offers), 'the platform did not accept the uploaded offers');
  say('tax numbers', `${offers.length} offers for them were returned once`);
}

function claimOutcome({ outcome, failure }: UploadAnswer, expected: string, what: string): void {
  const why = failure ? ` (${failure.error}: ${failure.cause})` : '';
  claim(outcome === expected, `the outcome of ${what} is ${outcome}, not ${expected}${why}`);
}

function claim(holds: boolean, otherwise: string): void {
  if (!holds) throw new NotAsClaimed(`Check failed: ${otherwise}.`);
}

/** Looks repeatedly until there is a result. Rejects with an `AbortError` when the demonstration is stopped. */
async function until<Found>(
  what: string,
  stopped: AbortSignal,
  look: () => Promise<Found | undefined | null | false>,
): Promise<Found> {
  const deadline = Date.now() + PATIENCE;
  for (;;) {
    const found = await look();
    if (found) return found;
    claim(Date.now() < deadline, `it took more than ${PATIENCE / 1000} s until ${what}`);
    await delay(LOOK_INTERVAL, undefined, { signal: stopped });
  }
}
