import { environment } from '../shared/environment.ts';
import { UnexpectedResponse } from '../shared/errors.ts';
import { lambdaHandler } from '../shared/lambda-handler.ts';
import { stageChoices } from '../shared/offers/choices-page.ts';
import { choicesOutput, decideByRule, stagedOffers, takeDecision } from '../shared/offers/decision-file.ts';
import { readAcceptedPackage } from '../shared/order/accepted-package.ts';
import { askedSince, isAsked, refuseOverdue } from '../shared/order/awaited.ts';
import { type Callback, saveCallback } from '../shared/order/callback.ts';
import type { Decision } from '../shared/order/choices.ts';
import { logger, operatorLog } from '../shared/order/operator-log.ts';
import type { OrderItem } from '../shared/order/order-item.ts';
import { changeWaiting, loadOrder } from '../shared/order/order-record.ts';
import type { Offer } from '../shared/order/order-service-client.ts';
import { stageStatusAsRecorded } from '../shared/order/staging.ts';
import { addEvent } from '../shared/order/timeline.ts';
import { endWait, wake } from '../shared/order/wake.ts';

/** Offers are decided on in one round, however often they change. */
const ROUND = 1;

export interface ChooseOfferInput {
  orderRef: string;
  generation: number;
  taskToken: string;
}

/**
 * Offers are there. A decision that is in intake already counts; else the partner's rule chooses; else, or where the rule
 * can't, the execution waits at no cost for `decision.json`.
 * @throws DecisionOverdue
 */
async function chooseOffer({ orderRef, generation, taskToken }: ChooseOfferInput): Promise<void> {
  const order = await loadOrder(orderRef, generation);
  // A function that is started once more, late: the order is somewhere else by now.
  if (order.status !== 'OFFERS_AVAILABLE') return logger.warn('The order does not wait for a decision any more');
  const callback: Callback = { orderRef, generation, what: 'decision', round: ROUND, taskToken };
  const offers = await stagedOffers(orderRef);
  if (!offers)
    throw new UnexpectedResponse(
      `Order ${orderRef} has no staged offers to choose from. A retry reads the order again.`,
    );
  const atOnce = order.choose === 'rule' ? await decideAtOnce(order, offers) : {};
  // Nobody has to find a wait that ends here and now.
  if (atOnce.decision) return endWait(callback, choicesOutput(order, atOnce.decision, offers));
  await saveCallback(callback);
  const taken = await takeDecision(order, offers);
  if (taken) return wake(callback, choicesOutput(order, taken, offers));
  await refuseOverdue(order, callback);
  const isNew = !isAsked(order, 'decision', ROUND);
  // The wait begins again: whoever was asked knows it.
  const page = order.snapshotSha256;
  const isSame = order.awaited?.page === page && order.decisionReason === atOnce.reason;
  if (!isNew && isSame && order.waitingFor === 'decision') return;
  const awaited = { ...askedSince(order, 'decision', ROUND), ...(page && { page }) };
  const waits = await changeWaiting(order, { waitingFor: 'decision', decisionReason: atOnce.reason, awaited });
  if (waits) await stageStatusAsRecorded({ ...order, waitingFor: 'decision' });
  await stageChoices(orderRef);
  if (isNew) await addEvent(orderRef, 'Waits for a decision on the offers', { offers: offers.length });
}

interface AtOnce {
  decision?: Decision;
  /** Why the rule could not choose. */
  reason?: string;
}

/** By the decision that is in intake, else by the rule. */
async function decideAtOnce(order: OrderItem, offers: Offer[]): Promise<AtOnce> {
  const taken = await takeDecision(order, offers);
  if (taken) return { decision: taken };
  // Of the same offers the rule has nothing else to say.
  const isKnown = isAsked(order, 'decision', ROUND) && order.awaited?.page === order.snapshotSha256;
  return isKnown && order.decisionReason ? { reason: order.decisionReason } : applyRuleOf(order, offers);
}

/** Takes what the rule chooses for the decision; where it can't choose, answers why a human must. */
async function applyRuleOf(order: OrderItem, offers: Offer[]): Promise<AtOnce> {
  const { orderRef } = order;
  const content = JSON.parse(await readAcceptedPackage(order));
  const rule = content.offers?.rule ?? environment('OFFERS_RULE');
  const { applyRule } = await import('../shared/offers/rule.ts');
  const outcome = await applyRule(rule, content.order, offers);
  if ('choices' in outcome) {
    const decision = await decideByRule(order, outcome.choices);
    await addEvent(orderRef, 'The rule chose', { offers: outcome.choices.length });
    return { ...(decision && { decision }) };
  }
  if (order.decisionReason !== outcome.reason) {
    await addEvent(orderRef, 'A human must choose', { reason: outcome.reason });
  }
  return { reason: outcome.reason };
}

export const handler = lambdaHandler(chooseOffer).use(operatorLog());
