import { addEvent } from '../core/order/timeline.ts';
import { identifierProblem } from '../core/order-service/order-answer.ts';
import { type Answer, Refusal } from './refusal.ts';
import type { Connection } from './stage/connection.ts';
import { creationOf, creationOverAt, isCorrectable } from './stage/creation.ts';
import { runningOf } from './stage/executions.ts';
import type { Operation, OrderDetails } from './stage/record.ts';
import { time } from './text.ts';

/**
 * `resolve <orderRef>`: records whether the service created an order whose creation has an unknown outcome. With an
 * `orderId` the order was created, without one it was not. The next execution relies on this.
 */
export async function resolve(connection: Connection, orderRef: string, orderId: string | undefined): Promise<Answer> {
  const { record, creations, executions } = connection;
  const problem = orderId === undefined ? undefined : identifierProblem(orderId);
  if (problem !== undefined) throw new Refusal(`The orderId ${problem}: nothing was recorded. Ask the service again.`);
  const details = await record.details(orderRef);
  const running = runningOf(await executions.since(orderRef, details.order.generation));
  if (running) {
    throw new Refusal(
      `Execution ${running.name} of order ${orderRef} is running: nothing was recorded. Wait until it ends, or stop it with "loan-orders abort ${orderRef}".`,
    );
  }
  const creation = unknownCreation(details);
  refuseWhileUnderWay(orderRef, creation);
  if (orderId !== undefined) await refuseTaken(connection, orderRef, orderId);
  await addEvent(
    orderRef,
    `An operator says that the order was ${orderId === undefined ? 'not ' : ''}created`,
    {
      ...(orderId !== undefined && { orderId }),
    },
    record.table,
  );
  const { orderId: earlier } = details.order;
  if (earlier !== undefined) await creations.forgetOrderId(details.order);
  if (earlier !== undefined && earlier !== orderId) await creations.releaseOrderId(earlier);
  await creations.resolve(creation, orderId);
  const found =
    orderId === undefined ? 'was not created: the next execution creates it' : `is ${orderId} at the order service`;
  return {
    lines: [`Recorded: order ${orderRef} ${found}. Continue with "loan-orders retry ${orderRef}".`],
    json: { orderRef, created: orderId !== undefined, orderId },
  };
}

/** @throws Refusal when there is nothing to resolve; it says what is known. */
function unknownCreation(details: OrderDetails): Operation {
  const { order } = details;
  const { orderRef } = order;
  const creation = creationOf(details);
  if (!creation) {
    throw new Refusal(
      `Order ${orderRef} was never sent to the order service: there is nothing to resolve. Start it with "loan-orders retry ${orderRef}".`,
    );
  }
  if (isCorrectable(creation, order)) return creation;
  const { knowledge } = creation;
  if (knowledge.state === 'none' || knowledge.state === 'unlikely') {
    throw new Refusal(
      `The order service did not create order ${orderRef}: there is nothing to resolve. Create it with "loan-orders retry ${orderRef}".`,
    );
  }
  if (knowledge.state === 'open' && order.orderId === undefined) return creation;
  const known = order.orderId ?? (knowledge.state === 'done' ? knowledge.outcome.orderId : undefined);
  throw new Refusal(`Order ${orderRef} is ${known} at the order service: there is nothing to resolve.`);
}

function refuseWhileUnderWay(orderRef: string, creation: Operation): void {
  const over = creationOverAt(creation, Date.now());
  if (!over) return;
  throw new Refusal(
    `The call that creates order ${orderRef} may still be under way: nothing was recorded. ` +
      `Ask the service and repeat this after ${time(over.toISOString())}.`,
  );
}

/** Refuses an `orderId` that another of our orders has: both would act on the same order of the service. */
async function refuseTaken({ creations }: Connection, orderRef: string, orderId: string): Promise<void> {
  const other = await creations.holdOrderId(orderRef, orderId);
  if (other === undefined) return;
  throw new Refusal(
    `${orderId} already belongs to order ${other}: nothing was recorded for ${orderRef}. Ask the service for the right orderId.`,
  );
}
