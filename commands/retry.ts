import { attemptNumber, type OrderItem } from '../core/order/order-item.ts';
import { isPaused } from '../core/order/stage-pause.ts';
import { refuseUnprepared } from './resume.ts';
import { endWaits } from './retry/end-waits.ts';
import type { AddCommand } from './shared/arguments.ts';
import type { StageConnection } from './shared/connection.ts';
import { refuseRunning, runningOf } from './shared/executions.ts';
import { ofMany } from './shared/many-orders.ts';
import { awaitsResolve, changedMeanwhile } from './shared/order-details.ts';
import { pauseInForce } from './shared/pause.ts';
import type { OrderRecord } from './shared/record.ts';
import { type CommandResult, Refusal } from './shared/text.ts';

export const addRetry: AddCommand = (program, perform) =>
  ofMany(
    program,
    perform,
    {
      verb: 'retry',
      description: 'start the next execution of orders after their last one has ended',
      all: 'all orders that wait for an operator; with --now, for the service, too',
      done: 'started',
      candidates: ['operator'],
      one: retry,
    },
    (options: RetryOptions, isAlone) => ({
      // Nobody can be asked about each of many.
      one: (connection, orderRef) => retry(connection, orderRef, isAlone ? options : { yes: false, ...options }),
      check: (connection, orderRef) => checkRetry(connection, orderRef, options),
      ...(options.now && { candidates: ['operator', 'service'] }),
    }),
  )
    .option('--now', 'end waits that services asked for, also while an execution runs')
    .option('--while-paused', 'let the order go on in a paused stage until its execution ends');

interface RetryOptions {
  now?: true;
  whilePaused?: true;
  yes?: boolean | undefined;
}

/** Starts the next execution, which continues from the service's status and the ledger. */
export async function retry(
  connection: StageConnection,
  orderRef: string,
  options: RetryOptions = {},
): Promise<CommandResult> {
  const { record, executions } = connection;
  const { details, latestExecutions } = await checkRetry(connection, orderRef, options);
  const { order } = details;
  const running = runningOf(latestExecutions);
  // An execution that failed before it claimed the order has a number that the record does not show.
  const generation = running?.generation ?? (latestExecutions.at(-1)?.generation ?? order.generation) + 1;
  const ended = options.now ? await endWaits(connection, order, options.yes) : [];
  if (options.whilePaused) ended.push(await passPause(connection, order, generation));
  if (ended.length === 0) refuseRunning(latestExecutions, orderRef, 'started');
  if (order.dismissed) await bringBack(record, order);
  const reason = ended.length > 0 ? `Ended waits: ${ended.join(', ')}.` : undefined;
  await record.addToTimeline(orderRef, 'An operator asked for a retry', { generation, ...(reason && { reason }) });
  const { name, arn } = running ?? (await executions.start(orderRef, generation));
  const what = running ? 'is running, and looks again within an hour' : 'was started';
  return {
    lines: [...(reason ? [reason] : []), `Execution ${name} ${what}. Follow it with "loan-orders show ${orderRef}".`],
    json: { orderRef, generation, execution: arn },
  };
}

/** Lets the order's execution of this generation go on in the present pause. */
async function passPause({ record, outputs, place }: StageConnection, order: OrderItem, generation: number) {
  const { orderRef, item } = order;
  await refuseUnprepared(record.table, outputs, place);
  const pause = await pauseInForce(record.table, outputs);
  if (!isPaused(pause))
    throw new Refusal('The stage is not paused: nothing was started. Retry without --while-paused.');
  const attempt = attemptNumber(generation === order.generation ? order : { generation });
  await record.table.updateItem({ orderRef, item }, { whilePaused: { since: pause.since, attempt } });
  return 'pause';
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
async function checkRetry(
  { record, executions }: StageConnection,
  orderRef: string,
  { now, whilePaused }: RetryOptions = {},
) {
  const details = await record.details(orderRef);
  refuseOver(details.order);
  const latestExecutions = await executions.since(details.order);
  if (!now && !whilePaused) refuseRunning(latestExecutions, orderRef, 'started');
  if (awaitsResolve(details)) {
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
