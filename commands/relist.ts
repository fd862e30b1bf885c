import { inBatches } from '../core/in-batches.ts';
import { monthOf } from '../core/time.ts';
import { type AddCommand, PARTIES, withConnection } from './shared/arguments.ts';
import type { StageConnection } from './shared/connection.ts';
import type { ListedOrder } from './shared/order-details.ts';
import { type CommandResult, some } from './shared/text.ts';

/** Only for this release: the next one removes it with the index byStatus. */
export const addRelist: AddCommand = (program, perform) =>
  program
    .command('relist')
    .description('after the update to this release: list also the orders that ended in older ones')
    .action(withConnection(perform, relist));

/** Gives every order the key of the index `byList` that it lacks: an older release has recorded it last. */
async function relist({ record: { table } }: StageConnection): Promise<CommandResult> {
  let [orders, listed] = [0, 0];
  for await (const page of table.scanIndex<ListedOrder>('byStatus')) {
    await inBatches(page, async ({ orderRef, waitingFor, changedAt }) => {
      // Operators can write anything into `waitingFor`.
      const listedUnder = waitingFor === 'nobody' ? monthOf(changedAt) : PARTIES.find((one) => one === waitingFor);
      if (listedUnder === undefined) return;
      const isWrong = 'waitingFor = :waitingFor AND #listedUnder <> :listedUnder';
      const key = { orderRef, item: 'order' };
      if (await table.updateItem(key, { listedUnder }, isWrong, { ':waitingFor': waitingFor })) listed += 1;
    });
    orders += page.length;
  }
  return {
    lines: [`${listed} of ${some(orders, 'order')} were added to the lists. The others are in them.`],
    json: { orders, listed },
  };
}
