import { isDeepStrictEqual } from 'node:util';
import { type Choice, isAvailable, type KeptChoice } from '../shared/choices.ts';
import { choiceAt, findDecision } from '../shared/decision.ts';
import { stageChoices } from '../shared/decision-file.ts';
import { InvalidPackage, OrderError, OutcomeUnknown } from '../shared/errors.ts';
import { lambdaHandler } from '../shared/lambda-handler.ts';
import { readForReconciliation } from '../shared/next-read.ts';
import { confirmName } from '../shared/operation-names.ts';
import { logger, operatorLog } from '../shared/operator-log.ts';
import { perform } from '../shared/order-ledger.ts';
import { addEvent, findOrder, loadCreatedOrder, type OrderItem } from '../shared/order-record.ts';
import { orderService } from '../shared/order-service.ts';
import { provenConfirms } from '../shared/settle-confirms.ts';

export interface ConfirmOfferInput {
  orderRef: string;
  generation: number;
  /** Position in the order's decision. */
  position: number;
}

/** The decision is another one than when the choice was read: nothing was sent. It does not leave this function. */
class ChangedMind extends OrderError {
  override readonly name = 'ChangedMind';
  override readonly retryable = false;
}

/**
 * `POST confirm` for one chosen offer (specification, endpoint 7; rule 2 of section 3), as the record has it when the confirm is begun:
 * with another code where that was decided meanwhile, and not at all where it was withdrawn.
 */
async function confirmOffer({ orderRef, generation, position }: ConfirmOfferInput): Promise<{ position: number }> {
  let order = await loadCreatedOrder(orderRef, generation);
  for (;;) {
    const choice = await choiceAt(order, position);
    if (!choice) throw new InvalidPackage(`Order ${orderRef} has no choice number ${position + 1}. Nothing was sent.`);
    try {
      const confirmed = await confirm(order, choice, position);
      await stageChoices(orderRef, { isConfirming: true });
      await addEvent(orderRef, 'Confirmed an offer', { ...confirmed });
      return { position };
    } catch (error) {
      // What was confirmed before stays so and is shown; the error to report is the call's.
      await Promise.allSettled([stageChoices(orderRef, { isConfirming: true })]);
      if (!(error instanceof ChangedMind)) throw error;
    }
    order = await loadCreatedOrder(orderRef, generation);
    if ((await choiceAt(order, position))?.withdrawn) {
      logger.info('A choice was withdrawn before it was sent');
      return { position };
    }
  }
}

async function confirm(order: OrderItem & { orderId: string }, choice: KeptChoice, position: number): Promise<Choice> {
  const { offerId, code } = choice;
  return perform({
    order,
    name: confirmName(offerId),
    intent: { offerId, code },
    call: async () => {
      // The intent is written. What the record holds after that, and held before, it held meanwhile: this is what is sent.
      const now = await choiceNow(order.orderRef, position);
      if (now?.withdrawn || !isDeepStrictEqual(now, choice)) {
        throw new ChangedMind(`Order ${order.orderRef}: another decision came before the choice was sent.`);
      }
      await orderService().confirmOffer(order.orderId, { offerId, code });
      return { offerId, code };
    },
    unknown: () => foundConfirmed(order, offerId),
  });
}

async function choiceNow(orderRef: string, position: number): Promise<KeptChoice | undefined> {
  const order = await findOrder(orderRef);
  return order && choiceAt(order, position);
}

/**
 * Asks the order what became of a confirm whose outcome is unknown: the choice that came through, undefined where none did.
 * @throws OutcomeUnknown where the order is CLOSED, which takes no confirm any more, and its offers do not tell.
 */
async function foundConfirmed(record: OrderItem, offerId: string): Promise<Choice | undefined> {
  const order = await readForReconciliation(record);
  const decision = await findDecision(record);
  const proven = decision && provenConfirms(decision, order).find((choice) => choice.offerId === offerId);
  if (proven || order.status !== 'CLOSED' || isAvailable(order.offers ?? [], offerId)) return proven;
  throw new OutcomeUnknown(
    `Order ${record.orderRef} is CLOSED, and its offers do not say whether offer ${offerId} was confirmed. Nothing was sent; ask the bank.`,
  );
}

export const handler = lambdaHandler(confirmOffer).use(operatorLog());
