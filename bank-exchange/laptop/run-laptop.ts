import { once as nextEvent } from 'node:events';
import { Buckets } from '../../commands/shared/buckets.ts';
import { type LaptopOptions, startStack } from '../../laptop/laptop.ts';
import type { Options } from '../../laptop/options.ts';
import { portOfAws, portOfSimulator } from '../../laptop/ports.ts';
import { print, printEndpoints, type Run, simulatorLines, stop, stopwatch } from '../../laptop/run.ts';
import { EXCHANGE_STACK, simulatedExchange, startExchangeSimulator } from '../simulator/index.ts';
import { DemonstrationFailed, showExchange } from './show.ts';

type ExchangeLaptop = Awaited<ReturnType<typeof startExchangeLaptop>>;

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
  const { simulator, aws, outputs } = laptop;
  const { IntakeBucket: intake = '', StagingBucket: staging = '' } = outputs;
  const buckets = new Buckets(laptop.s3, { intake, staging });
  printEndpoints(
    laptop,
    simulatorLines(simulator.url),
    'Send your own status for a request, or offers for a batch of tax numbers:',
    ['status.json', 'legacy/status/my-request.json'],
    ['offers.json', 'legacy/offers/my-batch.json'],
  );
  try {
    await showExchange({ simulator, buckets, startSchedules: aws.startSchedules, say: stopwatch(), stopped });
    print('All bank exchange checks passed.');
    if (once) return 0;
    if (!stopped.aborted) await nextEvent(stopped, 'abort');
  } catch (error) {
    if (error instanceof DemonstrationFailed) {
      print(`FAILED: ${error.message}`);
      return 1;
    }
    if (!stopped.aborted) throw error;
  }
  return stop(once);
}
