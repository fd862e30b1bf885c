import type { SimulatedOrder } from '@business-loan-orders/order-simulator';
import { MOST_ODD_READS } from '../plan/odd-answers.ts';
import type { CheckedOrder } from './checked-order.ts';
import type { Failure } from './witness.ts';

/** Checks that no execution failed without a reason. A retry would hide such a failure. */
export function failureProblems(checked: CheckedOrder): string[] {
  const without = checked.history.failures.filter((failure) => isWithoutReason(failure, checked));
  return [...new Set(without.map(({ error }) => `it failed as ${error} although there was no reason for it`))];
}

function isWithoutReason({ error, cause }: Failure, { plan }: CheckedOrder): boolean {
  if (error === 'SigningKeyUnusable') return !plan.awsFaults.some(({ kind }) => kind === 'refused');
  if (error === 'DocumentChanged') return plan.replacedDocumentAfter === undefined;
  // Only so many unusable answers in a row may end an order.
  if (error !== 'UnexpectedResponse' || !cause.includes('Read order')) return false;
  return !plan.oddAnswers.some(({ call, times }) => call === 'read' && times > MOST_ODD_READS);
}

/** The longest time until the next read of an order that waits for people (`waitRecheckHours` of stage `local`), and some more. */
const LONGEST_UNSEEN = 3 * 86_400_000;

/** Checks that nothing held up the confirms and the end of the order. */
export function delayProblems({ history }: CheckedOrder, { offers, progress }: SimulatedOrder): string[] {
  const stillThere = offers.filter(({ status }) => status !== 'EXPIRED').map(({ offerId }) => offerId);
  const untried = [...new Set(history.untried)].filter((offerId) => stillThere.includes(offerId));
  const closed = progress.history.find(({ status }) => status === 'CLOSED')?.at ?? Number.POSITIVE_INFINITY;
  const isLate = (history.closedAt ?? 0) - closed > LONGEST_UNSEEN;
  return [
    ...untried.map((offerId) => `a refused confirm stopped the confirm of ${offerId}`),
    ...(isLate ? ['our record learned days later that the order was closed'] : []),
  ];
}
