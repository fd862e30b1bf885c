import { attemptNumber, type OrderItem } from '../core/order/order-item.ts';
import { isPaused, type StagePause } from '../core/order/stage-pause.ts';
import { refuseUnprepared } from './resume.ts';
import { endWaits } from './retry/end-waits.ts';
import type { AddCommand } from './shared/arguments.ts';
import type { StageConnection } from './shared/connection.ts';
import { type Execution, refuseRunning, runningOf } from './shared/executions.ts';
import { type ManyAnswer, type OneOptions, ofMany } from './shared/many-orders.ts';
import { changedMeanwhile, isCreationUnknown } from './shared/order-details.ts';
import { pauseInForce } from './shared/pause.ts';
import type { OrderRecord } from './shared/record.ts';
import { Refusal } from './shared/text.ts';

export const addRetry: AddCommand = (program, perform) =>
  ofMany(program, perform, {
    verb: 'retry',
    description: 'start the next execution of orders after their last one has ended',
    all: 'all orders that wait for an operator',
    done: 'started',
    candidates: ({ now }: RetryOptions) => (now ? ['operator', 'service'] : ['operator']),
    one: retry,
    check: checkRetry,
  })
    .option('--now', 'end waits that the services asked for, also of orders that run')
    .option('--while-paused', 'let one order go on although the stage is paused');

type RetryOptions = Partial<OneOptions> & { now?: true; whilePaused?: true };

/** Starts the next execution, which continues from the service's status and the ledger. */
export async function retry(
  connection: StageConnection,
  orderRef: string,
  options: RetryOptions = {},
): Promise<ManyAnswer> {
  const { record, executions } = connection;
  const { details, latestExecutions } = await checkRetry(connection, orderRef, options);
  const { order } = details;
  const running = runningOf(latestExecutions);
  const pause = options.whilePaused && (await pauseToPass(connection));
  const ended = options.now ? await endWaits(connection, order, options) : [];
  // An execution that failed before it claimed the order has a number that the record does not show.
  const generation = running?.generation ?? (latestExecutions.at(-1)?.generation ?? order.generation) + 1;
  if (pause) await letGoOn(record, order, generation, pause);
  if (running) return goesOn(orderRef, running, ended, options);
  if (order.dismissed) await bringBack(record, order);
  await record.addToTimeline(orderRef, 'An operator asked for a retry', { generation });
  const { name, arn } = await executions.start(orderRef, generation);
  return {
    lines: [...endedLines(ended), `Execution ${name} was started. Follow it with "loan-orders show ${orderRef}".`],
    json: { orderRef, generation, execution: arn },
  };
}

const endedLines = (ended: string[]) => (ended.length > 0 ? [`Ended waits: ${ended.join(', ')}.`] : []);

function goesOn(
  orderRef: string,
  { name, generation, arn }: Execution,
  ended: string[],
  { whilePaused }: RetryOptions,
) {
  const look = `Execution ${name} is running, and looks again within ${ended.length > 0 ? 'an hour' : '15 min'}.`;
  const nothingToDo = ended.length === 0 && !whilePaused;
  return {
    lines: nothingToDo
      ? [`Execution ${name} of order ${orderRef} is running, and there is no wait to end.`]
      : [...endedLines(ended), look],
    json: { orderRef, generation, execution: arn, ended },
    nothingToDo,
  };
}

/** The pause that one order may pass. @throws Refusal if there is none, or if nobody knows yet which orders the service has. */
async function pauseToPass({ record, outputs, place }: StageConnection): Promise<StagePause> {
  await refuseUnprepared(record.table, outputs, place);
  const pause = await pauseInForce(record.table, outputs);
  if (isPaused(pause)) return pause;
  throw new Refusal('The stage is not paused: nothing was done. Retry without --while-paused.');
}

/** Lets the order's execution of this generation go on in the pause. */
async function letGoOn(record: OrderRecord, order: OrderItem, generation: number, { since }: StagePause) {
  const { orderRef, item } = order;
  const attempt = attemptNumber(generation === order.generation ? order : { generation });
  await record.addToTimeline(orderRef, 'An operator let the order go on in a pause', { generation });
  await record.table.updateItem({ orderRef, item }, { whilePaused: { since, attempt } });
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
  { now, whilePaused, isAlone = true }: RetryOptions,
) {
  if (whilePaused && !isAlone) throw new Refusal('Name one order alone with --while-paused: nothing was done.');
  const details = await record.details(orderRef);
  refuseOver(details.order);
  const latestExecutions = await executions.since(details.order);
  if (!now && !whilePaused) refuseRunning(latestExecutions, orderRef, 'started');
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
