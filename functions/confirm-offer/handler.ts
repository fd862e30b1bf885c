import { isDeepStrictEqual } from 'node:util';
import { InvalidPackage, OrderError, OutcomeUnknown, Rejected } from '../shared/errors.ts';
import { lambdaHandler } from '../shared/lambda-handler.ts';
import { choiceAt, findDecision } from '../shared/offers/decision.ts';
import { stageChoices } from '../shared/offers/decision-file.ts';
import { provenConfirms } from '../shared/offers/settle-confirms.ts';
import { type Choice, isAvailable, type KeptChoice } from '../shared/order/choices.ts';
import type { ConfirmOutcome } from '../shared/order/cursor.ts';
import { confirmName } from '../shared/order/operation-names.ts';
import { keepRefusal, logger, operatorLog } from '../shared/order/operator-log.ts';
import type { OrderItem } from '../shared/order/order-item.ts';
import { perform } from '../shared/order/order-ledger.ts';
import { findOrder, loadCreatedOrder } from '../shared/order/order-record.ts';
import { orderService } from '../shared/order/order-service.ts';
import { stageJson } from '../shared/order/staging.ts';
import { addEvent } from '../shared/order/timeline.ts';
import { readForReconciliation } from '../shared/polling/next-read.ts';

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
 * with another code where that was decided meanwhile, and not at all where it was withdrawn. A refusal is no error of this step, since
 * the choices behind it shall go out: the next read makes of it what the order then says.
 */
async function confirmOffer({ orderRef, generation, position }: ConfirmOfferInput): Promise<ConfirmOutcome> {
  for (;;) {
    const order = await loadCreatedOrder(orderRef, generation);
    const choice = await choiceAt(order, position);
    if (!choice) throw new InvalidPackage(`Order ${orderRef} has no choice number ${position + 1}. Nothing was sent.`);
    try {
      const confirmed = await confirm(order, choice, position);
      await stageChoices(orderRef, { isConfirming: true });
      await addEvent(orderRef, 'Confirmed an offer', { ...confirmed });
      return { position, refused: null };
    } catch (error) {
      // What was confirmed before stays so and is shown; the error to report is the call's.
      await Promise.allSettled([stageChoices(orderRef, { isConfirming: true })]);
      if (error instanceof Rejected) return tellRefusal(order, position, error);
      if (!(error instanceof ChangedMind)) throw error;
    }
    if ((await choiceNow(orderRef, position))?.withdrawn) {
      logger.info('A choice was withdrawn before it was sent');
      return { position, refused: null };
    }
  }
}

async function tellRefusal(
  { orderRef, decision }: OrderItem,
  position: number,
  error: Rejected,
): Promise<ConfirmOutcome> {
  logger.error(error.message, { error: error.name, httpStatus: error.httpStatus });
  await keepRefusal(error, (name, refusal) => stageJson(orderRef, name, refusal));
  await addEvent(orderRef, 'A confirm was refused', { choice: position + 1, httpStatus: error.httpStatus ?? 0 });
  return { position, refused: decision?.version ?? 0 };
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
