import type { SimulatedOrder } from '@business-loan-orders/order-simulator';
import type { KeptChoice } from '../../../core/package/kept-decision.ts';
import { type CheckedOrder, recordOf } from './checked-order.ts';
import { isUntold } from './ledger-checks.ts';

/**
 * Checks `choices.json` of an order that is over: it has every choice of the record, and says of each what became of it at the
 * service. Files that retention has removed are not checked.
 */
export function choicesProblems(checked: CheckedOrder, order: SimulatedOrder): string[] {
  const record = recordOf(checked);
  if (record?.waitingFor !== 'nobody' || record.removal) return [];
  const { choices: kept } = record.decision;
  const shown = checked.choicesPage?.choices ?? [];
  const isKept = (offerId: string) => kept.some((choice) => choice.offerId === offerId);
  // A restored record may not know what the page shows.
  const unknown = checked.plan.restored ? [] : shown.filter(({ offerId }) => !isKept(offerId));
  return [
    ...kept.flatMap((choice) => choiceProblems(choice, shown, checked, order)),
    ...unknown.map(({ offerId }) => `choices.json shows the choice of ${offerId}, which is not in our record`),
  ];
}

function choiceProblems(
  choice: KeptChoice,
  shown: NonNullable<CheckedOrder['choicesPage']>['choices'],
  checked: CheckedOrder,
  order: SimulatedOrder,
): string[] {
  const { offerId } = choice;
  const found = shown.find((one) => one.offerId === offerId);
  if (!found) return [`the order is over, but choices.json does not show the choice of ${offerId}`];
  const { state, code } = isUntold(checked, order, offerId)
    ? { state: 'outcome unknown', code: choice.code }
    : expected(choice, order);
  const problems: string[] = [];
  const says = `the order is over, but choices.json says of ${offerId}:`;
  if (found.state !== state) problems.push(`${says} "${found.state}" in place of "${state}"`);
  if (found.code !== code) problems.push(`${says} code ${found.code} in place of ${code}`);
  return problems;
}

/** The last answer to a choice. */
function expected({ offerId, code, withdrawn }: KeptChoice, { confirmations, status }: SimulatedOrder) {
  const confirmed = confirmations.find((confirmation) => confirmation.offerId === offerId);
  if (confirmed) return { state: 'confirmed', code: confirmed.code };
  const why = status === 'CLOSED' ? 'the order was closed' : 'the validation failed';
  return { state: withdrawn ? 'withdrawn' : `not confirmed: ${why}`, code };
}
