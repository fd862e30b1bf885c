import type { SimulatedOrder } from '@business-loan-orders/order-simulator';
import type { Choice } from '../../../core/order/kept-decision.ts';
import { Dice } from '../plan/dice.ts';
import type { OrderPlan } from '../plan/order-plan.ts';
import type { SimulatedWorld } from '../world/simulated-world.ts';
import type { PartnerActs } from './uploads.ts';

/** The same offer with another of its credit options, if it has more than one. */
function otherCode({ offerId, code }: Choice, offers: SimulatedOrder['offers']): Choice {
  const options = offers.find((offer) => offer.offerId === offerId)?.creditOptions ?? [];
  return { offerId, code: options.find((option) => option.code !== code)?.code ?? code };
}

/** Whether the order has none of the chosen offers any more, because the service has withdrawn them. */
function isOutdated({ chosen }: PartnerActs, order: SimulatedOrder | undefined): boolean {
  const isThere = (offerId: string) =>
    order?.offers.some((offer) => offer.offerId === offerId && offer.status !== 'EXPIRED');
  return chosen.length > 0 && !chosen.some(({ offerId }) => isThere(offerId));
}

/** The partner's credit desk uploads the decisions that the order's plan has, once the service has AVAILABLE offers. */
export async function decide(world: SimulatedWorld, plan: OrderPlan, order: SimulatedOrder | undefined): Promise<void> {
  const { orderRef, choose, decision, furtherDecisions, otherCodesAfter } = plan;
  const { schedule, witness, uploads } = world;
  const acts = uploads.acts(orderRef);
  const available = (order?.offers ?? []).filter(({ status }) => status === 'AVAILABLE');
  if (choose === 'rule' || available.length === 0 || (acts.decided && !isOutdated(acts, order))) return;
  acts.decided = true;
  const put = async (choices: Choice[]) => {
    acts.chosenLast = choices;
    witness.decided(orderRef, choices);
    acts.decisions.push(await uploads.put(orderRef, 'decision.json', JSON.stringify({ choices })));
  };
  const take = (choices: Choice[]) => {
    acts.chosen.push(...choices);
    return put(choices);
  };
  const dice = new Dice(orderRef, 'decision');
  const wanted = dice.shuffled(available).slice(0, decision.choices);
  const chosen = wanted.map(({ offerId, creditOptions }) => ({ offerId, code: dice.pick(creditOptions).code }));
  const decideFirst = async () => {
    await take(chosen);
    const further = new Dice(orderRef, 'further decisions');
    let after = 0;
    for (const delay of furtherDecisions) {
      after += delay;
      // Each time for one offer and one of its codes.
      const { offerId, creditOptions } = further.pick(available);
      const choice = { offerId, code: further.pick(creditOptions).code };
      schedule.later(after, () => take([choice]));
    }
    if (otherCodesAfter === undefined) return;
    schedule.later(otherCodesAfter, () => take(chosen.map((choice) => otherCode(choice, wanted))));
  };
  if (!decision.nonsenseFirst) return decideFirst();
  await put([{ offerId: 'no-such-offer', code: 'NONE' }]);
  schedule.later(60, decideFirst);
}
