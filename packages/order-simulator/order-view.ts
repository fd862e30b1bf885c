import { wireIdentifier } from './identifiers.ts';
import { documentsOfRound, type SimulatedOrder } from './order-book.ts';
import type { SimulatorSettings } from './settings.ts';

/** The body of an order read (specification, 2.1 and 4.1, endpoint 2), with the names and values of the settings. */
export function orderBody(order: SimulatedOrder, settings: SimulatorSettings): Record<string, unknown> {
  const { orderId, status, questionnaire, issues } = order;
  const { names, otherStatuses, pollAfterSeconds, seconds } = settings;
  return {
    [names.orderId]: wireIdentifier(orderId, settings),
    status: otherStatuses[status] ?? status,
    pollAfterSeconds: seconds === 'text' ? String(pollAfterSeconds) : pollAfterSeconds,
    questionnaire,
    ...(status === 'WAITING_FOR_SIGNATURE' && { documents: documentsToSign(order, settings) }),
    ...(['OFFERS_AVAILABLE', 'OFFERS_APPROVED', 'CLOSED'].includes(status) && { offers: offersOf(order, settings) }),
    ...(status === 'VALIDATION_FAILED' && { issues }),
  };
}

export function inspectionBody(order: SimulatedOrder): unknown {
  const { progress, ...rest } = order;
  const { history, due } = progress;
  return JSON.parse(
    JSON.stringify({ ...rest, history, due }, (name, value) =>
      name === 'bytes' || name === 'content' ? undefined : value,
    ),
  );
}

function documentsToSign(order: SimulatedOrder, settings: SimulatorSettings) {
  return documentsOfRound(order).map(({ fileId, name, contentType }) => ({
    fileId: wireIdentifier(fileId, settings),
    name,
    contentType,
  }));
}

function offersOf({ offers }: SimulatedOrder, settings: SimulatorSettings) {
  return offers.map(({ offerId, status, creditOptions, ...rest }) => ({
    offerId: wireIdentifier(offerId, settings),
    ...rest,
    [settings.names.offerStatus]: status,
    creditOptions: creditOptions.map((option) => ({ ...option, code: wireIdentifier(option.code, settings) })),
  }));
}
