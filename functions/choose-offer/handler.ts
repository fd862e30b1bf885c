import { askPeople } from '../../core/driving/change-record.ts';
import { orderStep } from '../../core/driving/order-step.ts';
import { UnexpectedResponse } from '../../core/errors.ts';
import { logger } from '../../core/log.ts';
import { openPositions } from '../../core/offers/decision.ts';
import { decideByRule, stagedOffers, takeDecision } from '../../core/offers/decision-file.ts';
import { readAcceptedPackage } from '../../core/order/accepted-package.ts';
import type { Decision } from '../../core/order/decision-states.ts';
import { askedSince, isAsked, type OrderItem } from '../../core/order/order-item.ts';
import { loadOrder } from '../../core/order/order-record.ts';
import { addToTimeline } from '../../core/order/timeline.ts';
import { type Callback, refuseOverdue, saveCallback } from '../../core/order/waits.ts';
import { endWait, wake } from '../../core/order/wake.ts';
import type { Offer } from '../../core/order-service/order-service-client.ts';
import { confirmItems } from '../../core/reading/cursor.ts';
import { offerSettings } from '../../core/settings.ts';

/** There is one round of decisions only, even if the offers change. */
const ROUND = 1;

export interface ChooseOfferInput {
  orderRef: string;
  generation: number;
  /** Until the order is read again. */
  waitSeconds: number;
  taskToken: string;
}

/**
 * Takes a decision from intake, or else applies the partner's rule. If there is no rule or it cannot choose, the execution waits for
 * `decision.json` at no cost.
 * @throws DecisionOverdue
 */
async function chooseOffer({ orderRef, generation, waitSeconds, taskToken }: ChooseOfferInput): Promise<void> {
  const order = await loadOrder(orderRef, generation);
  // The function may be invoked a second time, late.
  if (order.status !== 'OFFERS_AVAILABLE') return logger.warn('The order does not wait for a decision any more');
  const callback: Callback = { orderRef, generation, what: 'decision', round: ROUND, taskToken };
  // A redriven execution reads the order before the rule sees its offers.
  if (order.stoppedAt !== undefined) return endWait(callback, []);
  const offers = await stagedOffers(orderRef);
  if (!offers)
    throw new UnexpectedResponse(
      `Order ${orderRef} has no staged offers to choose from. A retry reads the order again.`,
    );
  const atOnce = order.choose === 'rule' ? await decideAtOnce(order, offers) : {};
  // The wait ends at once, so its token need not be saved.
  if (atOnce.decision) return endWait(callback, confirmItems(order, openPositions(atOnce.decision, offers)));
  await saveCallback(callback, waitSeconds);
  const taken = await takeDecision(order, offers);
  if (taken) return wake(callback, confirmItems(order, openPositions(taken, offers)));
  await refuseOverdue(order, callback);
  const isNew = !isAsked(order, 'decision', ROUND);
  const page = order.snapshotSha256;
  const awaited = { ...askedSince(order, 'decision', ROUND), ...(page && { page }) };
  await askPeople(order, { waitingFor: 'decision', awaited, decisionReason: atOnce.reason }, offers);
  if (isNew) await addToTimeline(orderRef, 'Waits for a decision on the offers', { offers: offers.length });
}

interface AtOnce {
  decision?: Decision;
  /** Why the rule could not choose. */
  reason?: string;
}

async function decideAtOnce(order: OrderItem, offers: Offer[]): Promise<AtOnce> {
  const taken = await takeDecision(order, offers);
  if (taken) return { decision: taken };
  // The rule gives the same result for the same offers, so it is not applied again.
  const isKnown = isAsked(order, 'decision', ROUND) && order.awaited?.page === order.snapshotSha256;
  return isKnown && order.decisionReason ? { reason: order.decisionReason } : applyRuleOf(order, offers);
}

/** Applies the rule and records its choices as the decision. If it cannot choose, returns the reason. */
async function applyRuleOf(order: OrderItem, offers: Offer[]): Promise<AtOnce> {
  const { orderRef } = order;
  const content = JSON.parse(await readAcceptedPackage(order));
  const rule = content.offers?.rule ?? offerSettings.rule;
  const { applyRule } = await import('../../core/offers/rule.ts');
  const outcome = await applyRule(rule, content.order, offers);
  if ('choices' in outcome) {
    const decision = await decideByRule(order, outcome.choices);
    await addToTimeline(orderRef, 'The rule chose', { offers: outcome.choices.length });
    return { ...(decision && { decision }) };
  }
  if (order.decisionReason !== outcome.reason)
    await addToTimeline(orderRef, 'A human must choose', { reason: outcome.reason });
  return { reason: outcome.reason };
}

export const handler = orderStep(chooseOffer);
