import { VirtualClock } from '@business-loan-orders/embedded-aws';
import { PEOPLES_KEY } from '../../../test/simulation/people/peoples-key.ts';
import { Schedule } from '../../../test/simulation/world/schedule.ts';
import { Tally } from '../../../test/simulation/world/tally.ts';
import type { InnBatch } from '../../core/inn-batch.ts';
import { ExchangeWorld } from '../helpers/world.ts';
import { Bank } from './bank.ts';
import { checkExchange } from './checks.ts';
import { replayExchangeLetters } from './dead-letters.ts';
import { ExchangeFaults } from './faults.ts';

export interface ExchangeSimulation {
  injected: Tally;
  operated: Tally;
  /** What arrived at both sides. */
  outcomes: Tally;
  violations: string[];
}

const HOUR = 3_600_000;
/** The duration of the faults and of the calm after them, in virtual milliseconds. */
const TURMOIL = 3 * HOUR;
const CALM = 2 * HOUR;
const STEP = 5 * 60_000;

/** Runs the bank exchange through hours of faults and hours of calm, then compares both sides. */
export async function simulateExchange(seed: string, assemblyDirectory: string): Promise<ExchangeSimulation> {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const calmFrom = clock.now() + TURMOIL;
  const [injected, operated] = [new Tally(), new Tally()];
  const faults = new ExchangeFaults({ seed, clock, injected, calmFrom });
  const world = await ExchangeWorld.start(assemblyDirectory, {
    clock,
    key: PEOPLES_KEY,
    requestWrapper: faults.requests,
    invokeWrapper: faults.invocations,
    deliveryWrapper: faults.deliveries,
    environment: { POWERTOOLS_LOG_LEVEL: 'SILENT', AWS_MAX_ATTEMPTS: '2', CALL_TIMEOUT_MILLISECONDS: '1000' },
  });
  try {
    faults.attend(world.simulator);
    const { aws, s3, outputs, simulator } = world;
    const schedule = new Schedule(clock);
    const intakeBucket = outputs.IntakeBucket ?? '';
    const bank = new Bank({ seed, s3, intakeBucket, simulator, schedule, operated, endpoint: aws.endpoint });
    bank.open();
    aws.startSchedules();
    while (clock.now() < calmFrom + CALM) {
      clock.advanceTo(clock.now() + STEP);
      await aws.settle();
      await schedule.settle();
      await aws.settle();
      await bank.score(await batchesOf(world));
      if (clock.now() < calmFrom) continue;
      operated.add(
        'event replayed from the dead-letter queue',
        await replayExchangeLetters(aws, outputs.DeadLetterQueueUrl),
      );
      await bank.tend();
    }
    return { injected, operated, ...(await compare(world, bank)) };
  } finally {
    await world.close();
  }
}

async function compare(world: ExchangeWorld, bank: Bank): Promise<Pick<ExchangeSimulation, 'outcomes' | 'violations'>> {
  const { exchange: service } = world.simulator;
  const [requests, batches] = [await world.record.all('request'), await batchesOf(world)];
  const text = async (key: string) => world.staged(key);
  const texts = await Promise.all(requests.map(async ({ requestId, key }) => [requestId, await text(key)] as const));
  const outcomes = new Tally();
  outcomes.add('requests staged', requests.length);
  outcomes.add('statuses that arrived', service.statuses().length);
  outcomes.add('batches of tax numbers', batches.length);
  outcomes.add('lists of offers that arrived', service.offers().length);
  const violations = checkExchange({ bank, service, requests, batches, stagedRequests: new Map(texts) });
  return { outcomes, violations };
}

/** Every batch of tax numbers, with its staged file. */
async function batchesOf(world: ExchangeWorld) {
  const batches = await world.record.all('batch');
  return Promise.all(batches.map(async (item) => ({ ...item, staged: await world.stagedJson<InnBatch>(item.key) })));
}
