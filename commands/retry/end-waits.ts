import type { OrderItem } from '../../core/order/order-item.ts';
import { waitOf } from '../../core/order/whose-wait.ts';
import { secondsUntil } from '../../core/time.ts';
import type { StageConnection } from '../shared/connection.ts';
import { NOTHING, type OneOptions } from '../shared/many-orders.ts';
import { changedMeanwhile } from '../shared/order-details.ts';
import { canAsk, requireYes } from '../shared/questions.ts';
import { Refusal, time } from '../shared/text.ts';

/** The specification's rule about `pollAfterSeconds`. */
const RULE =
  'Specification, 8.2: "Between two reads of an order, the partner waits `pollAfterSeconds` as returned by the last read."';

/** A stack of an earlier release does not say how long a wait is long. */
const LONG_SECONDS = 86_400;

/**
 * Ends the waits that the services asked for: the token's, which all orders share, and the order's own. A long `pollAfterSeconds` ends only
 * if a person confirms that, for one order; a shorter one does not end.
 * @returns which waits were ended, in words.
 * @throws Refusal without that confirmation, or if the order changed meanwhile. No wait was ended.
 */
export async function endWaits(
  connection: StageConnection,
  order: OrderItem,
  options: Partial<Pick<OneOptions, 'yes' | 'isAlone'>>,
): Promise<string[]> {
  const { table } = connection.record;
  const { orderRef, item, notBefore } = order;
  const isLong = isLongPoll(order, connection.settings().longWaitSeconds);
  if (isLong) await confirmEarlyRead(order, options);
  const ofOrder = [notBefore.throttled && 'Retry-After', notBefore.reason, isLong && 'pollAfterSeconds'];
  const ended: string[] = [...new Set(ofOrder)].filter((whose) => typeof whose === 'string');
  const { TOKEN_KEY } = await import('../../core/aws/order-table.ts');
  const { sameNotBefore } = await import('../../core/order/not-before.ts');
  if (ended.length > 0) {
    const read = { 'notBefore.readAt': undefined, 'notBefore.reason': undefined };
    const changes = {
      'notBefore.throttled': undefined,
      ...((isLong || notBefore.reason) && read),
      // The next execution would wait that long again.
      ...(isLong && { pollAfterSeconds: undefined }),
    };
    const { condition, values } = sameNotBefore(order, changes);
    if (!(await table.updateItem({ orderRef, item }, changes, condition, values))) throw changedMeanwhile(orderRef);
  }
  if (await table.updateItem(TOKEN_KEY, { notBefore: undefined }, '#notBefore > :now', { ':now': Date.now() }))
    ended.push('token');
  if (ended.length > 0)
    await connection.record.addToTimeline(orderRef, 'An operator ended a wait', { reason: ended.join(', ') });
  return ended;
}

/** Whether the order must not be read now because of a long `pollAfterSeconds`. */
function isLongPoll({ notBefore, pollAfterSeconds = 0 }: OrderItem, longSeconds = LONG_SECONDS): boolean {
  const left = secondsUntil(notBefore.readAt);
  return left > 0 && notBefore.reason === undefined && Math.max(left, pollAfterSeconds) > longSeconds;
}

/** @throws Refusal unless a person confirms that the order is read earlier than the service allows. */
async function confirmEarlyRead(
  order: OrderItem,
  { yes, isAlone = true }: Parameters<typeof endWaits>[2],
): Promise<void> {
  const { orderRef } = order;
  const rule = `${RULE} Order ${orderRef} must wait until ${time(waitOf(order)?.until)}.`;
  if (!isAlone) throw new Refusal(`${rule} To read it earlier, name it alone. ${NOTHING}`);
  if (yes) return;
  if (!canAsk()) throw new Refusal(`${rule} To read it earlier all the same, add --yes. ${NOTHING}`);
  process.stderr.write(`${rule}\n`);
  await requireYes(`Read order ${orderRef} earlier all the same?`, NOTHING);
}
