import { identifierProblem } from '../functions/shared/order/order-answer.ts';
import { type Answer, Refusal } from './refusal.ts';
import type { Connection } from './stage/connection.ts';
import { creationOf, creationOverAt, isCorrectable } from './stage/creation.ts';
import { runningOf } from './stage/executions.ts';
import type { Operation, OrderDetails } from './stage/record.ts';
import { time } from './text.ts';

/**
 * `resolve <orderRef>`: what an operator found out about a creation whose outcome nobody knew. With an `orderId` it was
 * done, without one it was not. The next execution goes by it.
 */
export async function resolve(connection: Connection, orderRef: string, orderId: string | undefined): Promise<Answer> {
  const { record, executions } = connection;
  const problem = orderId === undefined ? undefined : identifierProblem(orderId);
  if (problem !== undefined) throw new Refusal(`The orderId ${problem}: nothing was recorded. Ask the service again.`);
  const details = await record.details(orderRef);
  const running = runningOf(await executions.since(orderRef, details.order.generation));
  if (running) {
    throw new Refusal(
      `Order ${orderRef} is at work in execution ${running.name}: nothing was recorded. Wait for its end, or stop it with "loan-orders abort ${orderRef}".`,
    );
  }
  const creation = unknownCreation(details);
  refuseWhileUnderWay(orderRef, creation);
  if (orderId !== undefined) await refuseTaken(connection, orderRef, orderId);
  await record.addEvent(orderRef, `An operator says that the order was ${orderId === undefined ? 'not ' : ''}created`, {
    ...(orderId !== undefined && { orderId }),
  });
  const { orderId: earlier } = details.order;
  if (earlier !== undefined) await record.forgetOrderId(details.order);
  if (earlier !== undefined && earlier !== orderId) await record.releaseOrderId(earlier);
  await record.resolveCreation(creation, orderId);
  const found =
    orderId === undefined ? 'was not created: the next execution creates it' : `is ${orderId} at the order service`;
  return {
    lines: [`Recorded: order ${orderRef} ${found}. Go on with "loan-orders retry ${orderRef}".`],
    json: { orderRef, created: orderId !== undefined, orderId },
  };
}

/** @throws Refusal when there is nothing to resolve, with what is known instead. */
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
      `Order ${orderRef} is known not to have been created: there is nothing to resolve. Create it with "loan-orders retry ${orderRef}".`,
    );
  }
  if (knowledge.state === 'open' && order.orderId === undefined) return creation;
  const known = order.orderId ?? (knowledge.state === 'done' ? knowledge.outcome.orderId : undefined);
  throw new Refusal(`Order ${orderRef} is known to be ${known} at the order service: there is nothing to resolve.`);
}

function refuseWhileUnderWay(orderRef: string, creation: Operation): void {
  const over = creationOverAt(creation, Date.now());
  if (!over) return;
  throw new Refusal(
    `The creation of order ${orderRef} may still be on its way to the order service: nothing was recorded. ` +
      `Ask the service and repeat this after ${time(over.toISOString())}.`,
  );
}

/** Two of our orders on one of the service's would each do everything to it. */
async function refuseTaken({ record }: Connection, orderRef: string, orderId: string): Promise<void> {
  // Orders from before it was recorded who holds an orderId are found in the list.
  const listed = (await record.list()).find((order) => order.orderId === orderId && order.orderRef !== orderRef);
  const other = listed?.orderRef ?? (await record.holdOrderId(orderRef, orderId));
  if (other === undefined) return;
  throw new Refusal(
    `${orderId} is the order service's order of ${other} already: nothing was recorded for ${orderRef}. Ask the service for the right one.`,
  );
}
