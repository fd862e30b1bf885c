import { isDeepStrictEqual } from 'node:util';
import { InvalidPackage, OrderError, OutcomeUnknown, Rejected } from '../shared/errors.ts';
import { lambdaHandler } from '../shared/lambda-handler.ts';
import { choiceAt } from '../shared/offers/decision.ts';
import { stageChoices } from '../shared/offers/decision-file.ts';
import type { Choice, KeptChoice } from '../shared/order/choices.ts';
import type { ConfirmOutcome } from '../shared/order/cursor.ts';
import { confirmName } from '../shared/order/operation-names.ts';
import { keepRefusal, logger, operatorLog } from '../shared/order/operator-log.ts';
import type { OrderItem } from '../shared/order/order-item.ts';
import { perform } from '../shared/order/order-ledger.ts';
import { findOrder, loadCreatedOrder } from '../shared/order/order-record.ts';
import { orderService } from '../shared/order/order-service.ts';
import { stageJson } from '../shared/order/staging.ts';
import { addEvent } from '../shared/order/timeline.ts';

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
 * with another code where that was decided meanwhile, and not at all where it was withdrawn. A refusal or a lost answer is no error of
 * this step, since the choices behind it shall go out: the next reads say what came of it.
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
      if (error instanceof OutcomeUnknown) return tellUnknown(position, error);
      if (!(error instanceof ChangedMind)) throw error;
    }
    if ((await choiceNow(orderRef, position))?.withdrawn) {
      logger.info('A choice was withdrawn before it was sent');
      return { position, refused: null };
    }
  }
}

/** The next reads settle it; the choices behind it go out meanwhile. */
function tellUnknown(position: number, error: OutcomeUnknown): ConfirmOutcome {
  logger.warn(error.message, { error: error.name, httpStatus: error.httpStatus });
  return { position, refused: null };
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
    unknown: () => leaveToReads(order.orderRef, position),
  });
}

async function choiceNow(orderRef: string, position: number): Promise<KeptChoice | undefined> {
  const order = await findOrder(orderRef);
  return order && choiceAt(order, position);
}

/** The reads of the order find out, as they do of an accept: a second confirm could be taken beside the first. */
async function leaveToReads(orderRef: string, position: number): Promise<undefined> {
  throw new OutcomeUnknown(
    `Order ${orderRef}: the confirm of choice number ${position + 1} was begun before and its outcome is unknown. Nothing was sent; the next reads of the order tell.`,
  );
}

export const handler = lambdaHandler(confirmOffer).use(operatorLog());
