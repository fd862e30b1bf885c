import { isOver, type LegalHold, type OrderItem } from '../core/order/order-item.ts';
import { type AddCommand, ofOrder, withConnection } from './shared/arguments.ts';
import type { StageConnection } from './shared/connection.ts';
import { type CommandResult, Refusal, time } from './shared/text.ts';

export const addHold: AddCommand = (program, perform) =>
  ofOrder(program, 'hold', 'keep everything of an order, however old it is')
    .option('--release', 'end the hold')
    .action(withConnection(perform, hold));

async function hold(
  connection: StageConnection,
  orderRef: string,
  options: { release?: true },
): Promise<CommandResult> {
  if (options.release) return release(connection, orderRef);
  const { order } = await connection.record.details(orderRef);
  const { legalHold, removal } = order;
  if (removal?.record?.endedAt !== undefined) {
    throw new Refusal(`The data of order ${orderRef} was removed: there is nothing left to hold.`);
  }
  if (legalHold) {
    return {
      lines: [`Order ${orderRef} is on hold already, since ${time(legalHold.at)}, by ${legalHold.by}.`],
      json: { orderRef, legalHold },
    };
  }
  const begun = { at: new Date().toISOString(), by: await connection.by() };
  await change(connection, order, begun);
  return {
    lines: [
      `Order ${orderRef} is on hold: the stage keeps it, and "erase" refuses it. End this with "loan-orders hold ${orderRef} --release".`,
      ...(removal ? [`Files of it were removed before, from ${time(removal.files.begunAt)} on.`] : []),
    ],
    json: { orderRef, legalHold: begun },
  };
}

async function release(connection: StageConnection, orderRef: string): Promise<CommandResult> {
  const { order } = await connection.record.details(orderRef);
  const answer = { orderRef, legalHold: null };
  if (!order.legalHold) return { lines: [`Order ${orderRef} is not on hold.`], json: answer };
  await change(connection, order, undefined);
  return {
    lines: [`Order ${orderRef} is no longer on hold. What the stage does not keep any longer is removed by the sweep.`],
    json: answer,
  };
}

/** Sets the hold, or removes it. Then the sweep removes what is left of an order that is over. */
async function change({ record, by }: StageConnection, order: OrderItem, begun: LegalHold | undefined): Promise<void> {
  const { orderRef, status, removal } = order;
  // Retention of a dismissed order begins only when a sweep has ended it.
  const isDue = !begun && isOver(order) && order.openFor === undefined;
  const isSame = `#status = :status AND attribute_${begun ? 'not_' : ''}exists(#legalHold)`;
  const { dataToRemove } = await import('../core/order/order-record.ts');
  const isChanged = await record.table.updateItem(
    { orderRef, item: 'order' },
    { status, legalHold: begun, ...(isDue && { openFor: dataToRemove(removal) }) },
    isDue ? `${isSame} AND waitingFor = :nobody` : isSame,
    isDue ? { ':nobody': 'nobody' } : {},
  );
  if (!isChanged) {
    throw new Refusal(
      `Order ${orderRef} changed while this command looked at it: nothing was done. Repeat the command.`,
    );
  }
  const at = begun?.at ?? new Date().toISOString();
  const event = { at, name: `hold-${begun ? 'begun' : 'released'}` };
  const what = begun ? 'Put on hold' : 'Hold released';
  const { addToTimelineOnce } = await import('../core/order/timeline.ts');
  await addToTimelineOnce(orderRef, event, what, { by: await by() }, record.table);
}
