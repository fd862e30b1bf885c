import type { SimulatedOrder } from '@business-loan-orders/order-simulator';
import type { Choice } from '../../../core/order/choices.ts';
import { Dice } from '../plan/dice.ts';
import type { OrderPlan } from '../plan/order-plan.ts';
import type { SimulatedWorld } from '../world/simulated-world.ts';
import type { PartnerActs } from './acts.ts';

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

/** The partner's credit desk, which chooses among the offers as the order's plan says. */
export class CreditDesk {
  readonly #world: SimulatedWorld;

  constructor(world: SimulatedWorld) {
    this.#world = world;
  }

  /** Uploads the decisions that the plan has, once the service has AVAILABLE offers. */
  async decide(plan: OrderPlan, acts: PartnerActs, order: SimulatedOrder | undefined): Promise<void> {
    const { orderRef, choose, decision } = plan;
    const { schedule, witness, partner } = this.#world;
    const available = (order?.offers ?? []).filter(({ status }) => status === 'AVAILABLE');
    if (choose === 'rule' || available.length === 0 || (acts.decided && !isOutdated(acts, order))) return;
    acts.decided = true;
    const dice = new Dice(orderRef, 'decision');
    const wanted = dice.shuffled(available).slice(0, decision.choices);
    const chosen = wanted.map(({ offerId, creditOptions }) => ({ offerId, code: dice.pick(creditOptions).code }));
    const put = (choices: Choice[]) => {
      acts.chosenLast = choices;
      witness.decided(orderRef, choices);
      return partner.putDecision(orderRef, choices);
    };
    const decideFirst = async () => {
      acts.chosen.push(...chosen);
      await put(chosen);
      this.#decideAgain(plan, acts, available, put);
      if (plan.otherCodesAfter === undefined) return;
      const others = chosen.map((choice) => otherCode(choice, wanted));
      schedule.later(plan.otherCodesAfter, () => {
        acts.chosen.push(...others);
        return put(others);
      });
    };
    if (!decision.nonsenseFirst) return decideFirst();
    await put([{ offerId: 'no-such-offer', code: 'NONE' }]);
    schedule.later(60, decideFirst);
  }

  /** Decides again and again, each time for one offer and one of its codes. */
  #decideAgain(
    { orderRef, furtherDecisions }: OrderPlan,
    acts: PartnerActs,
    available: SimulatedOrder['offers'],
    put: (choices: Choice[]) => Promise<void>,
  ): void {
    const dice = new Dice(orderRef, 'further decisions');
    let after = 0;
    for (const delay of furtherDecisions) {
      after += delay;
      const { offerId, creditOptions } = dice.pick(available);
      const choice = { offerId, code: dice.pick(creditOptions).code };
      this.#world.schedule.later(after, () => {
        acts.chosen.push(choice);
        return put([choice]);
      });
    }
  }
}
