import { once as nextEvent } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { paginateListObjectsV2 } from '@aws-sdk/client-s3';
import { Buckets } from '../../commands/shared/buckets.ts';
import type { Problem } from '../../core/json/json-problems.ts';
import { type LaptopOptions, startStack } from '../../laptop/laptop.ts';
import type { Options } from '../../laptop/options.ts';
import { portOfAws, portOfSimulator } from '../../laptop/ports.ts';
import { print, printEndpoints, type Run, simulatorLines, stop, stopwatch } from '../../laptop/run.ts';
import type { InnBatch } from '../core/inn-batch.ts';
import { EXCHANGE_STACK, simulatedExchange, startExchangeSimulator } from '../simulator/index.ts';

type ExchangeLaptop = Awaited<ReturnType<typeof startExchangeLaptop>>;

/** Milliseconds. */
const LOOK_INTERVAL = 250;
const PATIENCE = 60_000;

const REQUESTS = 250;
/** The last two are invalid: one has a wrong check digit, the other is too short. */
const NUMBERS = ['7707083893', '7736050003', '500100732259', '7707083894', '77070838'];

interface UploadAnswer {
  outcome: string;
  problems?: Problem[];
  failure?: { error: string; cause: string };
}

/** Starts the exchange's stack and simulator. Schedules wait for `aws.startSchedules`. `simulatorPort` 0 means any free port. */
export async function startExchangeLaptop(options: LaptopOptions & { simulatorPort: number }) {
  const simulator = await startExchangeSimulator({ port: options.simulatorPort, switches: true });
  const laptop = await startStack(options, {
    stack: EXCHANGE_STACK,
    context: { legacy: 'alone' },
    service: simulatedExchange(simulator),
    simulator,
  });
  return { ...laptop, simulator };
}

/** Demonstrates the bank exchange on the laptop. Without `once` it runs until it is stopped. Returns the exit code. */
export async function runLaptop(options: Options, stopped: AbortSignal): Promise<number> {
  if (options.events || options.service !== undefined || options.stage !== undefined)
    throw new Error(
      '--legacy cannot be used with --events, --service or --stage: it has no orders, and its own simulator and stage.',
    );
  const laptop = await startExchangeLaptop({
    awsPort: () => portOfAws(options.awsPort),
    simulatorPort: await portOfSimulator(options.simulatorPort),
    say: print,
    stopped,
  });
  return demonstrate(laptop, { once: options.once, stopped }).finally(laptop.close);
}

export async function demonstrate(laptop: ExchangeLaptop, { once, stopped }: Run): Promise<number> {
  printEndpoints(
    laptop,
    simulatorLines(laptop.simulator.url),
    'Send your own status for a request, or offers for a batch of tax numbers:',
    ['status.json', 'legacy/status/my-request.json'],
    ['offers.json', 'legacy/offers/my-batch.json'],
  );
  try {
    await showExchange(laptop, stopped);
    print('All bank exchange checks passed.');
    if (once) return 0;
    if (!stopped.aborted) await nextEvent(stopped, 'abort');
  } catch (error) {
    if (!stopped.aborted) throw error;
  }
  return stop(once);
}

/**
 * Demonstrates all functions of the obsolete bank exchange (specification, 4.3).
 * @throws Error that names the part that failed, or an `AbortError` when the demonstration is stopped.
 */
async function showExchange({ simulator: { exchange }, aws, outputs, s3 }: ExchangeLaptop, signal: AbortSignal) {
  const { IntakeBucket: intake = '', StagingBucket: staging = '' } = outputs;
  const buckets = new Buckets(s3, { intake, staging });
  const say = stopwatch();
  const stagedKeys = async (Prefix: string): Promise<string[]> => {
    const pages = paginateListObjectsV2({ client: s3 }, { Bucket: staging, Prefix });
    return (await Array.fromAsync(pages)).flatMap(({ Contents = [] }) => Contents.map(({ Key = '' }) => Key));
  };
  const upload = async (key: string, content: object, expected: string): Promise<Problem[]> => {
    await buckets.putIntake(key, JSON.stringify(content), 'application/json');
    const answer = await until(signal, `${key} is answered`, () => buckets.stagedAt<UploadAnswer>(key));
    const { outcome, problems = [], failure } = answer;
    if (outcome === expected) return problems;
    const why = failure ? ` (${failure.error}: ${failure.cause})` : '';
    throw new Error(`FAILED: The outcome of ${key} is ${outcome}, not ${expected}${why}.`);
  };
  exchange.addRequests(REQUESTS);
  exchange.addTaxNumbers(NUMBERS);
  say('platform', `has ${REQUESTS} requests and ${NUMBERS.length} tax numbers for the bank`);
  aws.startSchedules();
  const areStaged = async () => (await stagedKeys('legacy/requests/')).length === REQUESTS;
  await until(signal, 'all requests are staged', areStaged);
  say('requests', `all ${REQUESTS} are staged`);
  const [first = '', second = ''] = exchange.requests().map(({ requestId }) => `legacy/status/${requestId}.json`);
  await upload(first, { newStatus: 'issued', loanAmount: 1_500_000, loanTerm: 24 }, 'sent');
  say('status', 'issued was sent');
  for (const { path, problem, fix } of await upload(second, { newStatus: 'created' }, 'rejected'))
    say('status', `rejected: ${path}: ${problem} ${fix}`);
  const findBatch = async () => (await stagedKeys('legacy/inns/')).find((one) => one.endsWith('.json'));
  const key = await until(signal, 'a batch of tax numbers is staged', findBatch);
  const { batch, numbers = [], invalid = [] } = (await buckets.stagedAt<Partial<InnBatch>>(key)) ?? {};
  say('tax numbers', `${numbers.length} are staged for scoring, and ${invalid.length} invalid ones separately`);
  const offers = numbers.map((inn, index) => ({ inn, approvedAmount: 100_000 * (index + 1) }));
  await upload(`legacy/offers/${batch}.json`, { offers }, 'sent');
  say('tax numbers', `${offers.length} offers for them were returned`);
}

/** Polls `look` until it returns a result. Rejects with an `AbortError` when `signal` aborts. */
async function until<Found>(signal: AbortSignal, what: string, look: () => Promise<Found | undefined | false>) {
  for (const deadline = Date.now() + PATIENCE; Date.now() < deadline; ) {
    const found = await look();
    if (found) return found;
    await delay(LOOK_INTERVAL, undefined, { signal });
  }
  throw new Error(`FAILED: It took more than ${PATIENCE / 1000} s until ${what}.`);
}
