import { isDeepStrictEqual } from 'node:util';
import { InvalidPackage, loggable, OutcomeUnknown, Rejected } from '../../core/errors.ts';
import { confirmName } from '../../core/order/operation-names.ts';
import type { OrderItem } from '../../core/order/order-item.ts';
import { perform } from '../../core/order/order-ledger.ts';
import { type CreatedOrder, loadCreatedOrder, markPage } from '../../core/order/order-record.ts';
import { addEvent } from '../../core/order/timeline.ts';
import { orderService } from '../../core/order-service/order-service.ts';
import type { KeptChoice } from '../../core/package/kept-decision.ts';
import { logFailure, logger, orderStep, stageAnswer } from '../../core/people/operator-log.ts';
import { sendOutbox } from '../../core/people/send-outbox.ts';
import type { ConfirmOutcome } from '../../core/reading/cursor.ts';

export interface ConfirmOfferInput {
  orderRef: string;
  generation: number;
  /** In the order's decision. */
  position: number;
  /** Another confirm follows, which publishes `choices.json` for both. */
  more?: true;
}

/**
 * Calls `POST confirm` for one chosen offer (specification, endpoint 7; rule 2 of section 3). If a later decision changes the
 * choice before the call, the changed choice is sent, or none if it was withdrawn. A refusal or an unknown outcome does not
 * fail this step, because the other choices must be sent, too. The next reads deal with it.
 */
async function confirmOffer(input: ConfirmOfferInput): Promise<ConfirmOutcome> {
  const { orderRef, generation, position, more } = input;
  for (;;) {
    const order = await loadCreatedOrder(orderRef, generation);
    const choice = order.decision.choices[position];
    if (!choice) throw new InvalidPackage(`Order ${orderRef} has no choice number ${position + 1}. Nothing was sent.`);
    if (choice.withdrawn) {
      logger.info('A choice was withdrawn before it was sent');
      if (!more) await sendOutbox(await markPage(order, 'choices.json'));
      return { position, refused: null };
    }
    try {
      if (await confirm(order, choice, input)) return { position, refused: null, confirmed: order.decision.version };
    } catch (error) {
      if (error instanceof Rejected) return recordRefusal(order, position, error);
      if (!(error instanceof OutcomeUnknown)) throw error;
      // The next reads settle it.
      logFailure(error, 'warn');
      return { position, refused: null };
    }
  }
}

async function recordRefusal(order: OrderItem, position: number, error: Rejected): Promise<ConfirmOutcome> {
  const { orderRef, decision } = order;
  logFailure(error);
  await stageAnswer(orderRef, error);
  await addEvent(orderRef, 'A confirm was refused', { choice: position + 1, ...loggable(error.call) });
  return { position, refused: decision.version };
}

/** Returns undefined if another decision came before the choice was sent. The last confirm always publishes `choices.json`. */
async function confirm(order: CreatedOrder, choice: KeptChoice, { position, more }: ConfirmOfferInput) {
  const { offerId, code } = choice;
  let now: OrderItem = order;
  return perform<Record<'offerId' | 'code', string> | undefined>({
    order,
    name: confirmName(offerId),
    intent: { offerId, code },
    call: async (context) => {
      // The intent has been recorded. If the choice is still the same after that, it is the one to send.
      now = await markPage(now, 'choices.json');
      if (!isDeepStrictEqual(now.decision.choices[position], choice)) return undefined;
      await orderService(context).confirmOffer(order.orderId, { offerId, code });
      return { offerId, code };
    },
    // The service could take a second confirm for an additional one.
    unknown: async () => {
      throw new OutcomeUnknown(
        `Order ${order.orderRef}: the outcome of an earlier confirm of choice number ${position + 1} is unknown. Nothing was sent. The next reads of the order show it.`,
      );
    },
  }).finally(() => more || sendOutbox(now));
}

export const handler = orderStep(confirmOffer, ({ position }) => ({ position, refused: null }));
