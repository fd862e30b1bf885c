import { documentsOfRound, type SimulatedOrder } from './order-book.ts';

/** The body of an order read (specification, 2.1 and 4.1, endpoint 2). */
export function orderBody(order: SimulatedOrder, pollAfterSeconds: number): Record<string, unknown> {
  const { orderId, status, questionnaire } = order;
  return {
    orderId,
    status,
    pollAfterSeconds,
    questionnaire,
    ...(status === 'WAITING_FOR_SIGNATURE' && { documents: documentsToSign(order) }),
    ...(['OFFERS_AVAILABLE', 'OFFERS_APPROVED', 'CLOSED'].includes(status) && { offers: order.offers }),
    ...(status === 'VALIDATION_FAILED' && { issues: order.issues }),
  };
}

/** The simulator's own view of an order, for reading back: everything but the bytes of files. */
export function inspectionBody(order: SimulatedOrder): unknown {
  const { progress, ...rest } = order;
  const { history, due } = progress;
  return JSON.parse(
    JSON.stringify({ ...rest, history, due }, (name, value) =>
      name === 'bytes' || name === 'content' ? undefined : value,
    ),
  );
}

function documentsToSign(order: SimulatedOrder) {
  return documentsOfRound(order).map(({ fileId, name, contentType }) => ({ fileId, name, contentType }));
}
