import { documentsOfRound, type SimulatedOrder } from './order-book.ts';
import type { SimulatorSettings } from './settings.ts';
import { Wording } from './wording.ts';

/** The body of an order read (specification, 2.1 and 4.1, endpoint 2), with the names and values of the settings. */
export function orderBody(order: SimulatedOrder, settings: SimulatorSettings): Record<string, unknown> {
  const { orderId, status, questionnaire, issues } = order;
  const wording = new Wording(settings);
  return {
    [settings.names.orderId]: wording.identifier(orderId),
    status: wording.status(status),
    pollAfterSeconds: wording.seconds(settings.pollAfterSeconds),
    questionnaire,
    ...(status === 'WAITING_FOR_SIGNATURE' && { documents: documentsToSign(order, wording) }),
    ...(['OFFERS_AVAILABLE', 'OFFERS_APPROVED', 'CLOSED'].includes(status) && {
      offers: offersOf(order, settings, wording),
    }),
    ...(status === 'VALIDATION_FAILED' && { issues }),
  };
}

/** The simulator's own view of an order: everything but the bytes of files. */
export function inspectionBody(order: SimulatedOrder): unknown {
  const { progress, ...rest } = order;
  const { history, due } = progress;
  return JSON.parse(
    JSON.stringify({ ...rest, history, due }, (name, value) =>
      name === 'bytes' || name === 'content' ? undefined : value,
    ),
  );
}

function documentsToSign(order: SimulatedOrder, wording: Wording) {
  return documentsOfRound(order).map(({ fileId, name, contentType }) => ({
    fileId: wording.identifier(fileId),
    name,
    contentType,
  }));
}

function offersOf({ offers }: SimulatedOrder, { names }: SimulatorSettings, wording: Wording) {
  return offers.map(({ offerId, status, creditOptions, ...rest }) => ({
    offerId: wording.identifier(offerId),
    ...rest,
    [names.offerStatus]: status,
    creditOptions: creditOptions.map((option) => ({ ...option, code: wording.identifier(option.code) })),
  }));
}
