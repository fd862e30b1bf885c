import type { OrderItem } from '../../core/order/order-item.ts';
import { secondsUntil } from '../../core/time.ts';
import type { StageConnection } from '../shared/connection.ts';
import { NOTHING } from '../shared/many-orders.ts';
import { changedMeanwhile } from '../shared/order-details.ts';
import { canAsk, requireYes } from '../shared/questions.ts';
import { Refusal, time } from '../shared/text.ts';

const RULE =
  'Specification, 8.2: "Between two reads of an order, the partner waits `pollAfterSeconds` as returned by the last read."';

/**
 * Ends the waits of `Retry-After`: the token's, which all orders share, and the order's own. A long `pollAfterSeconds` ends if a person
 * confirms that; a shorter one does not end.
 * @param yes true: confirmed. Undefined: ask.
 * @returns what was ended.
 * @throws Refusal without the confirmation, or if the order changed meanwhile.
 */
export async function endWaits(
  { record: { table }, settings }: StageConnection,
  order: OrderItem,
  yes: boolean | undefined,
): Promise<string[]> {
  const { orderRef, item, notBefore, pollAfterSeconds = 0 } = order;
  const { readAt, reason, throttled } = notBefore;
  const left = reason ? 0 : secondsUntil(readAt);
  const isLong = left > 0 && Math.max(left, pollAfterSeconds) > (settings().longWaitSeconds ?? 86_400);
  if (isLong && !yes) await confirmEarlyRead(`${RULE} Order ${orderRef} waits until ${time(readAt)}.`, yes);
  const { TOKEN_KEY } = await import('../../core/aws/order-table.ts');
  const { sameNotBefore } = await import('../../core/order/not-before.ts');
  const ended = [...(throttled || reason ? ['Retry-After'] : []), ...(isLong ? ['pollAfterSeconds'] : [])];
  if (ended.length > 0) {
    const read = { 'notBefore.readAt': undefined, 'notBefore.reason': undefined };
    // The next execution would wait for `pollAfterSeconds` again.
    const poll = isLong && { pollAfterSeconds: undefined };
    const changes = { 'notBefore.throttled': undefined, ...((isLong || reason) && read), ...poll };
    const { condition, values } = sameNotBefore(order, changes);
    if (!(await table.updateItem({ orderRef, item }, changes, condition, values))) throw changedMeanwhile(orderRef);
  }
  const now = { ':now': Date.now() };
  const isToken = await table.updateItem(TOKEN_KEY, { notBefore: undefined }, '#notBefore > :now', now);
  return isToken ? [...ended, 'token'] : ended;
}

async function confirmEarlyRead(rule: string, yes: boolean | undefined): Promise<void> {
  if (yes === false || !canAsk()) throw new Refusal(`${rule} ${NOTHING} To read it earlier, add --yes.`);
  process.stderr.write(`${rule}\n`);
  await requireYes('Read it earlier?', NOTHING);
}
