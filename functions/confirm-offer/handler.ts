import { type Choice, isAvailable } from '../shared/choices.ts';
import { choiceAt, findDecision } from '../shared/decision.ts';
import { stageChoices } from '../shared/decision-file.ts';
import { InvalidPackage, OrderError, OutcomeUnknown } from '../shared/errors.ts';
import { lambdaHandler } from '../shared/lambda-handler.ts';
import { perform } from '../shared/ledger.ts';
import { readForReconciliation } from '../shared/next-read.ts';
import { confirmName } from '../shared/operations.ts';
import { logger, operatorLog } from '../shared/operator-log.ts';
import { addEvent, findOrder, loadCreatedOrder, type OrderItem } from '../shared/order-record.ts';
import { orderService } from '../shared/order-service.ts';
import { provenConfirms } from '../shared/settle-confirms.ts';

export interface ConfirmOfferInput {
  orderRef: string;
  generation: number;
  /** Position in the order's decision. */
  position: number;
}

/** The partner has withdrawn the choice before it was sent: nothing was. It does not leave this function. */
class Withdrawn extends OrderError {
  override readonly name = 'Withdrawn';
  override readonly retryable = false;
}

/** `POST confirm` for one chosen offer (specification, endpoint 7; rule 2 of section 3), unless it was withdrawn meanwhile. */
async function confirmOffer({ orderRef, generation, position }: ConfirmOfferInput): Promise<{ position: number }> {
  const order = await loadCreatedOrder(orderRef, generation);
  const choice = await choiceAt(order, position);
  if (!choice) throw new InvalidPackage(`Order ${orderRef} has no choice number ${position + 1}. Nothing was sent.`);
  let confirmed: Choice;
  try {
    confirmed = await confirm(order, choice, position);
  } catch (error) {
    // What was confirmed before stays so and is shown; the error to report is the call's.
    await Promise.allSettled([stageChoices(orderRef)]);
    if (!(error instanceof Withdrawn)) throw error;
    logger.info('A choice was withdrawn before it was sent');
    return { position };
  }
  await stageChoices(orderRef);
  await addEvent(orderRef, 'Confirmed an offer', { ...confirmed });
  return { position };
}

async function confirm(
  order: OrderItem & { orderId: string },
  { offerId, code }: Choice,
  position: number,
): Promise<Choice> {
  return perform({
    order,
    name: confirmName(offerId),
    intent: { offerId, code },
    call: async () => {
      // An execution may be at its choices for long: the last word counts until a call is made.
      if (await isWithdrawn(order.orderRef, position)) throw new Withdrawn('The choice was withdrawn.');
      await orderService().confirmOffer(order.orderId, { offerId, code });
      return { offerId, code };
    },
    unknown: () => foundConfirmed(order, offerId),
  });
}

async function isWithdrawn(orderRef: string, position: number): Promise<boolean> {
  const order = await findOrder(orderRef);
  const choice = order && (await choiceAt(order, position));
  return choice?.withdrawn === true;
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
