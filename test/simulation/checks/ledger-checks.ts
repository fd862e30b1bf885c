import type { SimulatedOrder } from '@business-loan-orders/order-simulator';
import { confirmName } from '../../../core/order/operation-names.ts';
import type { WhatHappened } from '../../../core/order/what-happened.ts';
import type { KeptChoice } from '../../../core/package/kept-decision.ts';
import { type CheckedOrder, type ChoicesPage, ledgerOf, recordOf } from './checked-order.ts';
import { effectOf, effectsAt } from './effects.ts';

export function ledgerProblems(checked: CheckedOrder, order: SimulatedOrder): string[] {
  if (!recordOf(checked)) return [];
  const checks = [creationProblems, confirmProblems, lostChoices, openConfirms, missingEffects];
  return checks.flatMap((check) => check(checked, order));
}

function creationProblems(checked: CheckedOrder): string[] {
  const record = recordOf(checked);
  const creation = ledgerOf(checked).get('create')?.knowledge.state;
  const denied = creation === 'none' || creation === 'unlikely' ? ['our record says that it was not created'] : [];
  // Only an operator can settle a creation whose outcome is unknown.
  const isAsked =
    record?.waitingFor === 'operator' && (record.failure?.error === 'OutcomeUnknown' || creation === 'open');
  const isUnknown = record && record.orderId === undefined && !isAsked && !checked.plan.operatorAway;
  return isUnknown ? [...denied, 'the service has the order, but our record has no orderId'] : denied;
}

/** What the timeline says of a confirm that a restored record has lost. */
const UNKNOWN_CONFIRMS: WhatHappened = 'The service has confirmed offers that the record does not know';

function confirmProblems(checked: CheckedOrder, order: SimulatedOrder): string[] {
  const ledger = ledgerOf(checked);
  const isTold = checked.plan.restored && checked.items.some(({ what }) => what === UNKNOWN_CONFIRMS);
  return order.offers.flatMap(({ offerId }) => {
    const confirmed = order.confirmations.find((confirmation) => confirmation.offerId === offerId);
    const knowledge = ledger.get(confirmName(offerId))?.knowledge;
    if (knowledge?.state !== 'done') {
      if (!confirmed || knowledge?.state === 'open' || (isTold && !knowledge)) return [];
      return [`the service has confirmed ${offerId}, but our record says ${knowledge?.state ?? 'nothing'}`];
    }
    const { code } = knowledge.outcome;
    if (!confirmed) return [`our record says that ${offerId} is confirmed, but the service has not confirmed it`];
    if (code === confirmed.code) return [];
    return [`our record says that ${offerId} is confirmed with ${code}, but the service has ${confirmed.code}`];
  });
}

/** Whether the bank may close the order before the remaining choices are confirmed. Otherwise each must be tried. */
function wasInterrupted({ plan, retries, calls }: CheckedOrder, { confirmations }: SimulatedOrder): boolean {
  const [first] = confirmations;
  if (!first) return false;
  // While its outcome is unknown, no other confirm is sent.
  const isKnown = (kind: string) => kind === '409' || kind === 'connection refused';
  if (plan.serviceFaults.some(({ call, kind, after }) => call === 'confirm' && (after || !isKnown(kind)))) return true;
  const turnedAway = calls.filter(({ status }) => status === 401 || status === 429 || status === 503);
  return [...retries, ...turnedAway.map(({ at }) => at)].some((at) => at >= first.at);
}

/** Offers that a person chose and that stayed AVAILABLE, but that no function tried to confirm. */
function lostChoices(checked: CheckedOrder, order: SimulatedOrder): string[] {
  const { plan, acts } = checked;
  // The bank may close the order before it is read again, so a decision after the first confirm may be too late.
  const mayComeTooLate = plan.closedAfter !== undefined || plan.furtherDecisions.length > 0 || plan.restored;
  if (plan.choose !== 'manual' || !isFinal(checked) || mayComeTooLate || wasInterrupted(checked, order)) return [];
  const ledger = ledgerOf(checked);
  const decision = recordOf(checked)?.decision;
  const isWithdrawn = (offerId: string) =>
    decision?.choices.some((choice) => choice.offerId === offerId && choice.withdrawn);
  const isAvailable = (offerId: string) =>
    order.offers.some((offer) => offer.offerId === offerId && offer.status === 'AVAILABLE');
  const chosen = new Map(acts.chosenLast.map((choice) => [choice.offerId, choice]));
  return [...chosen.values()]
    .filter(({ offerId }) => isAvailable(offerId) && !isWithdrawn(offerId) && !ledger.has(confirmName(offerId)))
    .map(({ offerId }) => `the choice of ${offerId} was lost: no confirm was tried`);
}

/** Confirms whose outcome is unknown although the order is final, and its last read shows what became of their offers. */
function openConfirms(checked: CheckedOrder, order: SimulatedOrder): string[] {
  if (!isFinal(checked)) return [];
  const names = order.offers.filter(tellingIn(checked, order)).map(({ offerId }) => confirmName(offerId));
  const open = names.filter((name) => isOpen(checked, name));
  return open.map((name) => `the order is final, but the outcome of ${name} is unknown`);
}

/**
 * Whether nobody can tell what became of a confirm: the service no longer lists its offer, or lists it as expired, which it may have
 * become before the confirm or after it; or no offer shows that the service shows confirms at all.
 */
function isUntold(checked: CheckedOrder, order: SimulatedOrder, offerId: string): boolean {
  const tells = tellingIn(checked, order);
  const isTold = order.offers.some((offer) => offer.offerId === offerId && tells(offer));
  return isOpen(checked, confirmName(offerId)) && !isTold;
}

const isOpen = (checked: CheckedOrder, name: string) => ledgerOf(checked).get(name)?.knowledge.state === 'open';

/** Whether the status of an offer says if the offer is confirmed: beside a confirmed one, or a chosen one that is shown otherwise. */
function tellingIn(checked: CheckedOrder, { offers }: SimulatedOrder) {
  const isChosen = (offerId: string) =>
    recordOf(checked)?.decision.choices.some((choice) => choice.offerId === offerId);
  const isShown = ({ offerId, status }: SimulatedOrder['offers'][number]) =>
    status === 'CONFIRMED' || (status !== 'AVAILABLE' && isChosen(offerId));
  const isAny = offers.some(isShown);
  return ({ status }: SimulatedOrder['offers'][number]) => isAny && status !== 'EXPIRED';
}

const isFinal = (checked: CheckedOrder) => recordOf(checked)?.waitingFor === 'nobody';

/**
 * Uploads and accepts that the ledger calls done more often than the service has carried them out. IN_WORK settles an accept of unknown
 * outcome as done, also if the read is stale or the service left the status by itself: the reads after it begin another round.
 */
function missingEffects(checked: CheckedOrder, order: SimulatedOrder): string[] {
  const { serviceFaults, goesBack } = checked.plan;
  const stale = serviceFaults.filter(({ kind }) => kind === 'stale read');
  const misled = stale.reduce((sum, { times }) => sum + times, goesBack ? 1 : 0);
  const done = [...ledgerOf(checked)].filter(([, { knowledge }]) => knowledge.state === 'done');
  const ours = Map.groupBy(done, ([name]) => effectOf(name));
  const theirs = Map.groupBy(effectsAt(order), (effect) => effect);
  return [...ours].flatMap(([effect, { length: times }]) => {
    const carriedOut = effect === undefined ? times : (theirs.get(effect)?.length ?? 0);
    if (carriedOut + (effect?.startsWith('accept') ? misled : 0) >= times) return [];
    return [`${effect}: done ${times} times by our record, ${carriedOut} times at the service`];
  });
}

/** Checks `choices.json` of an order that is over. Files that retention has removed are not checked. */
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

type Shown = ChoicesPage['choices'];

function choiceProblems(choice: KeptChoice, shown: Shown, checked: CheckedOrder, order: SimulatedOrder): string[] {
  const { offerId } = choice;
  const found = shown.find((one) => one.offerId === offerId);
  if (!found) return [`the order is over, but choices.json does not show the choice of ${offerId}`];
  const isRefused = ledgerOf(checked).get(confirmName(offerId))?.failure === 'Rejected';
  const { state, code } = isUntold(checked, order, offerId)
    ? { state: `${isRefused ? 'refused, ' : ''}outcome unknown`, code: choice.code }
    : expected(choice, order, isRefused);
  const problems: string[] = [];
  const says = `the order is over, but choices.json says of ${offerId}:`;
  if (found.state !== state) problems.push(`${says} "${found.state}" in place of "${state}"`);
  if (found.code !== code) problems.push(`${says} code ${found.code} in place of ${code}`);
  return problems;
}

/** The last answer to a choice. */
function expected(
  { offerId, code, withdrawn }: KeptChoice,
  { confirmations, status }: SimulatedOrder,
  isRefused: boolean,
) {
  const confirmed = confirmations.find((confirmation) => confirmation.offerId === offerId);
  if (confirmed) return { state: 'confirmed', code: confirmed.code };
  const why = status === 'CLOSED' ? 'the order was closed' : 'the validation failed';
  if (withdrawn) return { state: 'withdrawn', code };
  return { state: isRefused ? 'refused' : `not confirmed: ${why}`, code };
}
