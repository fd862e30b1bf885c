import { batchesOf, inBatches } from '../core/in-batches.ts';
import { monthOf } from '../core/time.ts';
import { type AddCommand, PARTIES, withConnection } from './shared/arguments.ts';
import type { StageConnection } from './shared/connection.ts';
import type { ListedOrder } from './shared/order-details.ts';
import { type CommandResult, some } from './shared/text.ts';

// Only for this release: the next one removes it with the index byStatus.

export const addRelist: AddCommand = (program, perform) =>
  program
    .command('relist')
    .description('after the update to this release, once: list also the orders that ended before')
    .action(withConnection(perform, relist));

/** Gives every order that lacks it the key of the index `byList`. Repeating it is safe: it changes no order twice. */
async function relist({ record: { table } }: StageConnection): Promise<CommandResult> {
  let [orders, listed] = [0, 0];
  for await (const batch of batchesOf(table.scanIndex<ListedOrder>('byStatus'))) {
    await inBatches(batch, async ({ orderRef, waitingFor, changedAt }) => {
      // Operators can write anything into `waitingFor`.
      const listedUnder = waitingFor === 'nobody' ? monthOf(changedAt) : PARTIES.find((one) => one === waitingFor);
      if (listedUnder === undefined) return;
      const isSame = 'attribute_not_exists(#listedUnder) AND waitingFor = :waitingFor';
      const key = { orderRef, item: 'order' };
      if (await table.updateItem(key, { listedUnder }, isSame, { ':waitingFor': waitingFor })) listed += 1;
    });
    orders += batch.length;
  }
  return {
    lines: [`${listed} of ${some(orders, 'order')} were added to the lists. The others are in them.`],
    json: { orders, listed },
  };
}
