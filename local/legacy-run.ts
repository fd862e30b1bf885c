import { once as nextEvent } from 'node:events';
import type { SimulatedLaptop } from './laptop.ts';
import { NotAsClaimed, showLegacyExchange } from './legacy-show.ts';
import { LegacyBank } from './people/legacy-bank.ts';
import { print, printEndpoints, type Run, simulatorLines, stop, stopwatch } from './run.ts';

/** Shows the bank exchange from end to end, and without `once` serves until it is stopped; the answer is the exit code. */
export async function runLegacy(laptop: SimulatedLaptop, { once, stopped }: Run): Promise<number> {
  const { simulator, aws } = laptop;
  const bank = new LegacyBank(laptop);
  printEndpoints(
    laptop,
    simulatorLines(simulator.url),
    'Send a status of your own for a request, or offers for a batch of tax numbers:',
    ['status.json', 'legacy/status/my-request.json'],
    ['offers.json', 'legacy/offers/my-batch.json'],
  );
  try {
    await showLegacyExchange({ simulator, bank, startSchedules: aws.startSchedules, say: stopwatch(), stopped });
    print('The bank exchange did all that it should.');
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
