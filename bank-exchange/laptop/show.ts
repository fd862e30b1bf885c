import { setTimeout as delay } from 'node:timers/promises';
import { paginateListObjectsV2 } from '@aws-sdk/client-s3';
import type { Buckets } from '../../commands/shared/buckets.ts';
import type { Problem } from '../../core/json/json-problems.ts';
import type { InnBatch } from '../core/inn-batch.ts';
import type { ExchangeSimulator } from '../simulator/index.ts';

/** Milliseconds. */
const LOOK_INTERVAL = 250;
const PATIENCE = 60_000;

const REQUESTS = 250;
/** The last two are invalid: one has a wrong check digit, the other is too short. */
const NUMBERS = ['7707083893', '7736050003', '500100732259', '7707083894', '77070838'];

/** The context of the demonstration. `say` prints a line about one part. */
export interface Demonstration {
  simulator: ExchangeSimulator;
  buckets: Buckets;
  startSchedules(): void;
  say(what: string, line: string): void;
  stopped: AbortSignal;
}

/** Thrown if a part of the demonstration fails. The message names the part. */
export class DemonstrationFailed extends Error {
  override readonly name = 'DemonstrationFailed';
}

interface UploadAnswer {
  outcome: string;
  problems?: Problem[];
  failure?: { error: string; cause: string };
}

/**
 * Demonstrates all functions of the obsolete bank exchange (specification, 4.3).
 * @throws DemonstrationFailed if a part fails.
 */
export async function showExchange(stage: Demonstration): Promise<void> {
  const { simulator, say, startSchedules } = stage;
  simulator.exchange.addRequests(REQUESTS);
  simulator.exchange.addTaxNumbers(NUMBERS);
  say('platform', `has ${REQUESTS} requests and ${NUMBERS.length} tax numbers for the bank`);
  startSchedules();
  await showRequests(stage);
  await showStatus(stage);
  await showTaxNumbers(stage);
}

async function showRequests(stage: Demonstration): Promise<void> {
  const areStaged = async () => (await stagedKeys(stage, 'legacy/requests/')).length === REQUESTS;
  await until(stage, 'all requests are staged', areStaged);
  stage.say('requests', `all ${REQUESTS} are staged`);
}

async function showStatus(stage: Demonstration): Promise<void> {
  const { simulator, say } = stage;
  const [first, second] = simulator.exchange.requests().map(({ requestId }) => `legacy/status/${requestId}.json`);
  await upload(stage, first, { newStatus: 'issued', loanAmount: 1_500_000, loanTerm: 24 }, 'sent');
  say('status', 'issued was sent');
  const { problems = [] } = await upload(stage, second, { newStatus: 'created' }, 'rejected');
  for (const { path, problem, fix } of problems) say('status', `rejected: ${path}: ${problem} ${fix}`);
}

async function showTaxNumbers(stage: Demonstration): Promise<void> {
  const key = await until(stage, 'a batch of tax numbers is staged', async () =>
    (await stagedKeys(stage, 'legacy/inns/')).find((one) => one.endsWith('.json')),
  );
  const { batch, numbers = [], invalid = [] } = (await stage.buckets.stagedAt<Partial<InnBatch>>(key)) ?? {};
  stage.say('tax numbers', `${numbers.length} are staged for scoring, and ${invalid.length} invalid ones separately`);
  const offers = numbers.map((inn, index) => ({ inn, approvedAmount: 100_000 * (index + 1) }));
  await upload(stage, `legacy/offers/${batch}.json`, { offers }, 'sent');
  stage.say('tax numbers', `${offers.length} offers for them were returned`);
}

async function stagedKeys({ buckets: { client, staging } }: Demonstration, Prefix: string): Promise<string[]> {
  const pages = paginateListObjectsV2({ client }, { Bucket: staging, Prefix });
  return (await Array.fromAsync(pages)).flatMap(({ Contents = [] }) => Contents.map(({ Key = '' }) => Key));
}

/** Uploads a file and waits for its result, which must have the outcome `expected`. */
async function upload(stage: Demonstration, key = '', content: object, expected: string): Promise<UploadAnswer> {
  const { buckets } = stage;
  await buckets.putIntake(key, JSON.stringify(content), 'application/json');
  const answer = await until(stage, `${key} is answered`, () => buckets.stagedAt<UploadAnswer>(key));
  const { outcome, failure } = answer;
  if (outcome === expected) return answer;
  const why = failure ? ` (${failure.error}: ${failure.cause})` : '';
  throw new DemonstrationFailed(`The outcome of ${key} is ${outcome}, not ${expected}${why}.`);
}

/** Polls `look` until it returns a result. Rejects with an `AbortError` when the demonstration is stopped. */
async function until<Found>(
  { stopped }: Demonstration,
  what: string,
  look: () => Promise<Found | undefined | false>,
): Promise<Found> {
  for (const deadline = Date.now() + PATIENCE; Date.now() < deadline; ) {
    stopped.throwIfAborted();
    const found = await look();
    if (found) return found;
    await delay(LOOK_INTERVAL, undefined, { signal: stopped });
  }
  throw new DemonstrationFailed(`It took more than ${PATIENCE / 1000} s until ${what}.`);
}
