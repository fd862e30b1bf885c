import { isOver, type OrderItem } from '../core/order/order-item.ts';
import { addEventOnce } from '../core/order/timeline.ts';
import type { WhatHappened } from '../core/order/what-happened.ts';
import { type Answer, Refusal } from './refusal.ts';
import type { DataConnection, HoldChange } from './stage/order-data.ts';
import { time } from './text.ts';

/** `hold <orderRef>`: nothing of the order is removed until the hold is released. */
export async function hold(connection: DataConnection, orderRef: string): Promise<Answer> {
  const { order } = await connection.record.details(orderRef);
  const { status, legalHold, removal } = order;
  if (removal?.record?.endedAt !== undefined) {
    throw new Refusal(`The data of order ${orderRef} was removed: there is nothing left to hold.`);
  }
  if (legalHold) {
    return {
      lines: [`Order ${orderRef} is on hold already, since ${time(legalHold.at)}, by ${legalHold.by}.`],
      json: { orderRef, legalHold },
    };
  }
  const begun = { at: new Date().toISOString(), by: connection.by };
  await change(connection, { orderRef, status, hold: begun }, 'Put on hold');
  return {
    lines: [
      `Order ${orderRef} is on hold: the stage keeps it, and "erase" refuses it. End this with "loan-orders hold ${orderRef} --release".`,
      ...(removal ? [`Files of it were removed before, from ${time(removal.files.begunAt)} on.`] : []),
    ],
    json: { orderRef, legalHold: begun },
  };
}

/** `hold <orderRef> --release`: the order is kept as long as the stage keeps any order. */
export async function release(connection: DataConnection, orderRef: string): Promise<Answer> {
  const { order } = await connection.record.details(orderRef);
  const answer = { orderRef, legalHold: null };
  if (!order.legalHold) return { lines: [`Order ${orderRef} is not on hold.`], json: answer };
  const { status } = order;
  await change(connection, { orderRef, status, hold: undefined, openFor: nextOf(order) }, 'Hold released');
  return {
    lines: [`Order ${orderRef} is no longer on hold. What the stage does not keep any longer is removed by the sweep.`],
    json: answer,
  };
}

/** What the sweep removes next. */
function nextOf(order: OrderItem): OrderItem['openFor'] {
  const { removal } = order;
  if (!isOver(order)) return undefined;
  return removal?.files.endedAt === undefined ? 'files-to-remove' : 'record-to-reduce';
}

async function change({ data, changeHold, by }: DataConnection, wanted: HoldChange, what: WhatHappened): Promise<void> {
  const { orderRef, hold: begun } = wanted;
  if (!(await changeHold(wanted))) {
    throw new Refusal(
      `Order ${orderRef} changed while this command looked at it: nothing was done. Repeat the command.`,
    );
  }
  const at = begun?.at ?? new Date().toISOString();
  await addEventOnce(orderRef, { at, name: `hold-${begun ? 'begun' : 'released'}` }, what, { by }, data.table);
}
