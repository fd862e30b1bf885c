import { type OrderPlan, plainPlan, type ServiceFault } from '../plan/order-plan.ts';
import { type Mutation, mutation } from './mutation.ts';

/** It strikes so many calls, from the `occurrence`th on. */
const fault = (
  call: ServiceFault['call'],
  kind: ServiceFault['kind'],
  occurrence = 1,
  after = true,
  times = 1,
): ServiceFault => ({ call, kind, occurrence, after, times });

const met = (orderRef: string, serviceFaults: ServiceFault[], given: Partial<OrderPlan> = {}) => [
  plainPlan(orderRef, { serviceFaults, ...given }),
];

const threeChoices: Partial<OrderPlan> = {
  choose: 'manual',
  decision: { delay: 0, early: false, nonsenseFirst: false, choices: 3 },
};

/** For rules of reads and of the ledger that test/unit/model does not break. */
export const ledgerMutations: readonly Mutation[] = [
  mutation(
    'an answer about another order is believed',
    met('foreign', [fault('read', 'foreign order', 3)]),
    'core/order-service/order-answer.ts',
    'if (orderId !== undefined && named !== undefined',
    "if (orderId === '' && named !== undefined",
  ),
  mutation(
    'of a status that is given twice, the last counts',
    met('twice', [fault('read', 'repeated status', 3)]),
    'core/order-service/order-service-client.ts',
    'if (hasRepeatedName(text, 1))',
    "if (text === '')",
  ),
  mutation(
    'a status in lower case counts',
    met('lower-case', [fault('read', 'lower-case status', 3)]),
    'core/order-service/order-answer.ts',
    'if (isOrderStatus(known)) return known;',
    'if (isOrderStatus(known.toUpperCase())) return known.toUpperCase();',
  ),
  mutation(
    'one read of a status UP fails the order',
    met('status-UP', [fault('read', 'status UP', 3)]),
    'core/reading/without-read.ts',
    '...(isBelieved(counted, { ...rules, repeatsLimit }, now) &&',
    '...(repeatsLimit > 0 &&',
  ),
  mutation(
    'a refused confirm is sent before the others, and its failure stops them',
    met(
      'refused-first',
      [fault('confirm', '409', 1, false), fault('confirm', '503 with Retry-After', 2, false)],
      threeChoices,
    ),
    'core/offers/decision.ts',
    'Number(isRefused(one)) - Number(isRefused(other))',
    'Number(isRefused(other)) - Number(isRefused(one))',
  ),
  mutation(
    'after an unanswered creation the others do not wait',
    [0, 1, 2, 3].map((order) =>
      plainPlan(`hold-${order}`, { operatorAway: true, badDay: { startsAfter: order * 20, down: 'create' } }),
    ),
    'functions/create-order/handler.ts',
    'if (creations && !(await isUnknown(orderRef))) await waitForTurn(order, creations, isRetry);',
    '',
  ),
];
