import { orderTable } from '../aws/order-table.ts';
import { Superseded } from '../errors.ts';
import type { LedgerEntry } from '../ledger/entry.ts';
import { identifierProblem } from '../order-service/order-answer.ts';
import { timeouts } from '../timeouts.ts';
import type { OperatorsWord } from './operators-word.ts';
import type { OrderItem } from './order-item.ts';
import { findOperation } from './order-ledger.ts';
import { addToTimeline } from './timeline.ts';

/**
 * Whether an operator may still correct what an operator recorded about the creation: the service has not answered a read of
 * the order since, so nothing relies on it yet.
 */
export const isCorrectable = ({ resolvedAt }: LedgerEntry, { status }: Pick<OrderItem, 'status'>): boolean =>
  resolvedAt !== undefined && status === 'RECEIVED';

/**
 * When the call that creates the order is certainly over, if that is after `now` (milliseconds); otherwise undefined. A function finishes
 * even if its execution is stopped, so the call may be in progress until the function's timeout.
 */
export function creationOverAt({ knowledge, failure, intendedAt }: LedgerEntry, now: number): Date | undefined {
  const over = Date.parse(intendedAt) + timeouts.functionSeconds * 1000;
  return knowledge.state === 'open' && failure === undefined && over > now ? new Date(over) : undefined;
}

/** What an operator reports about a creation of unknown outcome: with an `orderId` the service has the order, without one it does not. */
export function wordOf({ attempts }: Pick<LedgerEntry, 'attempts'>, orderId: string | undefined): OperatorsWord {
  const at = new Date().toISOString();
  return orderId === undefined
    ? { state: 'none', attempts, at }
    : { state: 'done', outcome: { orderId }, attempts, at };
}

export const wordLine = (orderId: string | undefined) =>
  `An operator says that the order was ${orderId === undefined ? 'not ' : ''}created` as const;

/** `resolve` in the input of an execution that a person starts in the Step Functions console. */
export interface InputWord {
  orderId?: unknown;
  none?: unknown;
}

/**
 * Records what the input says about a creation of unknown outcome, as the command `resolve` does.
 * @throws Superseded with a message for the person. Nothing was recorded.
 */
export async function takeWord(order: OrderItem, { orderId, none }: InputWord): Promise<void> {
  const { orderRef } = order;
  const isWord = none === true ? orderId === undefined : typeof orderId === 'string' && none === undefined;
  const said = isWord ? (orderId as string | undefined) : undefined;
  const problem = isWord ? said !== undefined && identifierProblem(said) : 'or "none" is missing';
  if (problem)
    throw refusal(orderRef, `The orderId in "resolve" ${problem}. Give { "orderId": "…" } or { "none": true }.`);
  const creation = await findOperation(orderRef, 'create');
  const isUnknown = creation?.knowledge.state === 'open' && order.orderId === undefined;
  if (!creation || (!isUnknown && !isCorrectable(creation, order)))
    throw refusal(orderRef, 'It is known whether the service created it: start it without "resolve".');
  const over = creationOverAt(creation, Date.now());
  if (over)
    throw refusal(orderRef, `The call that creates it may still be under way: ask again after ${over.toISOString()}.`);
  await addToTimeline(orderRef, wordLine(said), said === undefined ? {} : { 'created as': said });
  await orderTable.updateItem({ orderRef, item: creation.item }, { said: wordOf(creation, said) });
}

const refusal = (orderRef: string, why: string) => new Superseded(`Order ${orderRef}: ${why} Nothing was done.`);
