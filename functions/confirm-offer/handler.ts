import { isDeepStrictEqual } from 'node:util';
import { orderStep, publishAnswer } from '../../core/driving/order-step.ts';
import { InvalidPackage, loggable, type OrderError, OutcomeUnknown, Rejected } from '../../core/errors.ts';
import { FinalRefusal, isRefusal } from '../../core/ledger/perform-operation.ts';
import { logFailure, logger } from '../../core/log.ts';
import { findDecision, holdsOthers } from '../../core/order/decision-states.ts';
import { confirmName } from '../../core/order/operation-names.ts';
import type { OrderItem } from '../../core/order/order-item.ts';
import { perform } from '../../core/order/order-ledger.ts';
import { type CreatedOrder, loadCreatedOrder, markPage } from '../../core/order/order-record.ts';
import { addToTimeline } from '../../core/order/timeline.ts';
import { orderService } from '../../core/order-service/order-service.ts';
import type { KeptChoice } from '../../core/package/kept-decision.ts';
import type { ConfirmOutcome, FileInput } from '../../core/reading/cursor.ts';
import { sendOutbox } from '../../core/staging/send-outbox.ts';

/** `position` is the choice's position in the order's decision. */
export interface ConfirmOfferInput extends FileInput {
  /** Another confirm came before this one, in the same Map. */
  later: boolean;
  /** Another confirm follows, which publishes `choices.json` for both. */
  more: boolean;
}

/**
 * Calls `POST confirm` for one chosen offer (specification, endpoint 7; rule 2 of section 3). If a later decision changes the choice before
 * the call, the changed choice is sent, or none if it was withdrawn. A refusal or an unknown outcome does not fail this step: the next
 * reads show the outcome. A final refusal fails the next run of the step.
 */
async function confirmOffer(input: ConfirmOfferInput): Promise<ConfirmOutcome> {
  const { orderRef, generation, position, later, more } = input;
  for (;;) {
    const order = await loadCreatedOrder(orderRef, generation);
    const choice = order.decision.choices[position];
    if (!choice) throw new InvalidPackage(`Order ${orderRef} has no choice number ${position + 1}. Nothing was sent.`);
    if (choice.withdrawn || (later && (await isHeldBack(order)))) {
      logger.info('A choice was withdrawn, or waits for an earlier confirm. Nothing was sent');
      if (!more) await sendOutbox(await markPage(order, 'choices.json'));
      return { position };
    }
    try {
      if (await confirm(order, choice, input)) return { position, confirmed: order.decision.version };
    } catch (error) {
      if (!isToRead(error)) throw error;
      if (isRefusal(error))
        await addToTimeline(orderRef, 'A confirm was refused', { choice: position + 1, ...loggable(error.call) });
      logFailure(error, 'warn');
      await publishAnswer(orderRef, error);
      return { position };
    }
  }
}

/** The bank may close the order after the first confirm that it accepts, so an unknown outcome is settled before others are sent. */
async function isHeldBack(order: OrderItem): Promise<boolean> {
  const isFirst = order.status === 'OFFERS_AVAILABLE';
  return isFirst && ((await findDecision(order))?.choices.some(holdsOthers) ?? false);
}

/** The next reads judge a confirm that was sent. A refusal of an earlier attempt is final, and fails the step. */
const isToRead = (error: unknown): error is OrderError =>
  error instanceof OutcomeUnknown || (error instanceof Rejected && !(error instanceof FinalRefusal));

/** Returns undefined if another decision came before the choice was sent. The last confirm always publishes `choices.json`. */
async function confirm(order: CreatedOrder, choice: KeptChoice, { position, more }: ConfirmOfferInput) {
  const { offerId, code } = choice;
  let now: OrderItem = order;
  return perform<Record<'offerId' | 'code', string> | undefined>({
    order,
    name: confirmName(offerId),
    intent: { offerId, code },
    call: async (context) => {
      // The intent has been recorded. If the choice is still the same, it is sent.
      now = await markPage(now, 'choices.json');
      if (!isDeepStrictEqual(now.decision.choices[position], choice)) return undefined;
      await orderService(context).confirmOffer(order.orderId, { offerId, code });
      return { offerId, code };
    },
    // The service could treat a second confirm as an additional one.
    unknown: 'look',
  }).finally(() => more || sendOutbox(now));
}

export const handler = orderStep(confirmOffer, ({ position }) => ({ position }));
