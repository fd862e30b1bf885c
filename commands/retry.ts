import type { OrderItem } from '../core/order/order-item.ts';
import type { AddCommand } from './shared/arguments.ts';
import type { StageConnection } from './shared/connection.ts';
import { refuseRunning } from './shared/executions.ts';
import { ofMany } from './shared/many-orders.ts';
import { changedMeanwhile, isCreationUnknown } from './shared/order-details.ts';
import type { OrderRecord } from './shared/record.ts';
import { type CommandResult, Refusal } from './shared/text.ts';

export const addRetry: AddCommand = (program, perform) =>
  ofMany(program, perform, {
    verb: 'retry',
    description: 'start the next execution of orders after their last one has ended',
    all: 'all orders that wait for an operator',
    done: 'started',
    candidates: ['operator'],
    one: retry,
    check: checkRetry,
  });

/** Starts the next execution, which continues from the service's status and the ledger. */
export async function retry(connection: StageConnection, orderRef: string): Promise<CommandResult> {
  const { record, executions } = connection;
  const { details, latestExecutions } = await checkRetry(connection, orderRef);
  if (details.order.dismissed) await bringBack(record, details.order);
  // An execution that failed before it claimed the order has a number that the record does not show.
  const generation = (latestExecutions.at(-1)?.generation ?? details.order.generation) + 1;
  await record.addToTimeline(orderRef, 'An operator asked for a retry', { generation });
  const { name, arn } = await executions.start(orderRef, generation);
  return {
    lines: [`Execution ${name} was started. Follow it with "loan-orders show ${orderRef}".`],
    json: { orderRef, generation, execution: arn },
  };
}

/** Returns the order to waiting for an operator, with its earlier failure, which a begun removal deletes. */
async function bringBack({ table }: OrderRecord, order: OrderItem): Promise<void> {
  const { orderRef, item, generation, dismissed, failure } = order;
  const changes = { waitingFor: 'operator', failure: dismissed?.failure ?? failure, dismissed: undefined };
  const isSame = `generation = :current AND attribute_exists(#dismissed${dismissed?.failure ? '.failure' : ''})`;
  if (!(await table.updateItem({ orderRef, item }, changes, isSame, { ':current': generation })))
    throw changedMeanwhile(orderRef);
}

/** @throws Refusal when nothing would be started. */
async function checkRetry({ record, executions }: StageConnection, orderRef: string) {
  const details = await record.details(orderRef);
  refuseOver(details.order);
  const latestExecutions = await executions.since(details.order);
  refuseRunning(latestExecutions, orderRef, 'started');
  if (isCreationUnknown(details)) {
    throw new Refusal(
      `Order ${orderRef} may or may not exist at the order service: nothing was started, because the order could be created twice. ` +
        `Ask the service, then run "loan-orders resolve ${orderRef}" with --order-id <orderId> or --none, and retry.`,
    );
  }
  return { details, latestExecutions };
}

function refuseOver({ orderRef, status, removal }: OrderItem): void {
  if (status === 'CLOSED') {
    throw new Refusal(`Order ${orderRef} is CLOSED, which is final: there is nothing to retry.`);
  }
  if (status !== 'VALIDATION_FAILED') {
    if (!removal) return;
    throw new Refusal(
      `The files of order ${orderRef} were removed: nothing was started. Upload the package under a new orderRef.`,
    );
  }
  throw new Refusal(
    `Order ${orderRef} is VALIDATION_FAILED, which is final: nothing was started. Its issues are in staging ` +
      `(orders/${orderRef}/issues.json); upload the corrected package under a new orderRef.`,
  );
}
