import middy from '@middy/core';
import { type Callback, saveCallback, wake } from '../shared/callback.ts';
import { addDecision } from '../shared/decision.ts';
import { choicesOutput, stageChoices, stagedOffers, takeDecision } from '../shared/decision-file.ts';
import { environment } from '../shared/environment.ts';
import { InvalidPackage, UnexpectedResponse } from '../shared/errors.ts';
import { packageKey } from '../shared/intake-key.ts';
import { operatorLog } from '../shared/operator-log.ts';
import { addEvent, changeWaiting, loadOrder, type OrderItem } from '../shared/order-record.ts';
import type { Offer } from '../shared/order-service-client.ts';
import { stageStatus } from '../shared/staging.ts';
import { readObject } from '../shared/storage.ts';

export interface ChooseOfferInput {
  orderRef: string;
  generation: number;
  taskToken: string;
}

/**
 * Offers are there. A decision that is in intake already counts; else the partner's rule chooses; else, or where the rule
 * can't, the execution waits at no cost for `decision.json`.
 */
async function chooseOffer({ orderRef, generation, taskToken }: ChooseOfferInput): Promise<void> {
  const order = await loadOrder(orderRef, generation);
  const callback: Callback = { orderRef, generation, what: 'decision', round: 1, taskToken };
  await saveCallback(callback);
  const offers = await stagedOffers(orderRef);
  if (!offers)
    throw new UnexpectedResponse(
      `Order ${orderRef} has no staged offers to choose from. A retry reads the order again.`,
    );
  const taken = await takeDecision(orderRef, offers);
  const byRule = !taken && order.choose === 'rule' ? await decideByRule(order, offers) : undefined;
  if (taken || byRule?.decided) return wake(callback, await choicesOutput(order, offers));
  await stageChoices(orderRef, byRule?.reason);
  const waits = await changeWaiting(order, { waitingFor: 'decision', decisionReason: byRule?.reason });
  if (waits) await stageStatus({ ...order, waitingFor: 'decision' });
  await addEvent(orderRef, 'Waits for a decision on the offers', { offers: offers.length });
}

/** Takes what the rule chooses for the decision; where it can't choose, answers why a human must. */
async function decideByRule(order: OrderItem, offers: Offer[]): Promise<{ decided: boolean; reason?: string }> {
  const { orderRef, packageVersionId } = order;
  const file = { bucket: environment('INTAKE_BUCKET'), key: packageKey(orderRef), versionId: packageVersionId };
  const stored = await readObject(file);
  if (!stored)
    throw new InvalidPackage(`Order ${orderRef}: the version of order.json that was accepted is gone from intake.`);
  const content = JSON.parse(new TextDecoder().decode(stored.bytes));
  const rule = content.offers?.rule ?? environment('OFFERS_RULE');
  const { applyRule } = await import('../shared/rule.ts');
  const outcome = await applyRule(rule, content.order, offers);
  if ('choices' in outcome) {
    await addDecision(orderRef, outcome.choices);
    await stageChoices(orderRef);
    await addEvent(orderRef, 'The rule chose', { offers: outcome.choices.length });
    return { decided: true };
  }
  await addEvent(orderRef, 'A human must choose', { reason: outcome.reason });
  return { decided: false, reason: outcome.reason };
}

export const handler = middy(chooseOffer).use(operatorLog());
