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

/** The first confirm never reaches the service. So the order stays OFFERS_AVAILABLE. */
const lostFirst = (orderRef: string) => met(orderRef, [fault('confirm', 'reset', 1, false)], threeChoices);

/** Each answer comes after the work. */
const believed = (['accept', 'confirm'] as const).flatMap((call) => [
  mutation(
    `a refusal is believed at once: ${call}`,
    met(`${call}-409`, [fault(call, '409')]),
    'core/ledger/knowledge.ts',
    "if (failure === 'not sent')",
    "if (failure === 'refused' && ifUnknown === 'look') return NONE; if (failure === 'not sent')",
  ),
  ...(['429', '503 with Retry-After'] as const).map((kind) =>
    mutation(
      `it is believed at once that a call was turned away: ${call}, ${kind}`,
      met(`${call}-${kind.slice(0, 3)}`, [fault(call, kind)]),
      'core/ledger/knowledge.ts',
      "if (failure === 'not sent')",
      "if (failure === 'turned away' && ifUnknown === 'look') return NONE; if (failure === 'not sent')",
    ),
  ),
]);

/** A mutation for each rule of the ledger (docs/architecture.md) that orders of the simulation can meet. */
export const ledgerMutations: readonly Mutation[] = [
  ...believed,
  ...(['create', 'accept', 'confirm'] as const).map((call) =>
    mutation(
      `a plain 503 says that nothing was done: ${call}`,
      met(`${call}-plain-503`, [fault(call, '503')]),
      'core/service/service-failures.ts',
      'return changes ? OutcomeUnknown',
      'return changes && status !== 503 ? OutcomeUnknown',
    ),
  ),
  // The accept is done, and its answer is lost. Then two reads show the status before it.
  mutation(
    'the settling time is too short',
    met('short', [fault('accept', 'reset'), fault('read', 'stale read', 3, false, 2)]),
    'core/reading/believed.ts',
    'if (!repeats || repeats.reads < repeatsLimit) return false;',
    'if (repeats) return true; else return false;',
  ),
  // One read shows IN_WORK, and the next one the status before it.
  mutation(
    'a status that comes back is believed at once',
    met('comes-back', [fault('read', 'stale read', 8, false)], { scenario: 'slow-processing' }),
    'core/reading/round.ts',
    'if (!isBelieved) return { todo:',
    'if (!isBelieved && !isBack) return { todo:',
  ),
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
    'if (repeatedName(text, 1) !== undefined)',
    "if (text === '')",
  ),
  mutation(
    'a status in lower case counts',
    met('lower-case', [fault('read', 'lower-case status', 3)]),
    'core/order-service/order-answer.ts',
    'if (isOrderStatus(known)) return known;',
    'if (isOrderStatus(known.toUpperCase())) return known.toUpperCase();',
  ),
  ...(['status UP', 'blank status'] as const).map((kind) =>
    mutation(
      `one read of a ${kind} fails the order`,
      met(kind.replace(' ', '-'), [fault('read', kind, 3)]),
      'core/reading/without-read.ts',
      '...(isBelieved(counted, { ...rules, repeatsLimit }, now) &&',
      '...(repeatsLimit > 0 &&',
    ),
  ),
  mutation(
    'an offer that is AVAILABLE disproves its confirm although all others are, too',
    met('all-available', [fault('confirm', 'reset')], { showsNoConfirms: true }),
    'core/offers/proven-confirms.ts',
    'return tells && isAvailable',
    'return isAvailable',
  ),
  mutation(
    'the next choice of a Map is confirmed beside one of unknown outcome',
    lostFirst('beside-in-map'),
    'functions/confirm-offer/handler.ts',
    'if (choice.withdrawn || (later && (await isHeldBack(order)))) {',
    'if (choice.withdrawn) {',
  ),
  mutation(
    'after a read, other choices are confirmed beside one of unknown outcome',
    lostFirst('beside-after-read'),
    'core/reading/decide.ts',
    'if (decision?.choices.some(holdsOthers)) return ANSWERED;',
    '',
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
