import { once as nextEvent } from 'node:events';
import type { SimulatedLaptop } from '../../laptop/laptop.ts';
import { print, printEndpoints, type Run, simulatorLines, stop, stopwatch } from '../../laptop/run.ts';
import { LegacyBank } from './bank.ts';
import { NotAsClaimed, showLegacyExchange } from './show.ts';

/** Demonstrates the whole bank exchange. Without `once` it keeps running until it is stopped. Returns the exit code. */
export async function runLegacy(laptop: SimulatedLaptop, { once, stopped }: Run): Promise<number> {
  const { simulator, aws } = laptop;
  const bank = new LegacyBank(laptop);
  printEndpoints(
    laptop,
    simulatorLines(simulator.url),
    'Send your own status for a request, or offers for a batch of tax numbers:',
    ['status.json', 'legacy/status/my-request.json'],
    ['offers.json', 'legacy/offers/my-batch.json'],
  );
  try {
    await showLegacyExchange({ simulator, bank, startSchedules: aws.startSchedules, say: stopwatch(), stopped });
    print('All bank exchange checks passed.');
    if (once) return 0;
    if (!stopped.aborted) await nextEvent(stopped, 'abort');
  } catch (error) {
    if (error instanceof NotAsClaimed) {
      print(`FAILED: ${error.message}`);
      return 1;
    }
    if (!stopped.aborted) throw error;
  }
  return stop(once);
}
