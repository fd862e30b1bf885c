import { attemptNumber, type OrderItem } from '../core/order/order-item.ts';
import { isPaused } from '../core/order/stage-pause.ts';
import { secondsUntil } from '../core/time.ts';
import { refuseUnprepared } from './resume.ts';
import type { AddCommand } from './shared/arguments.ts';
import type { StageConnection } from './shared/connection.ts';
import { refuseRunning, runningOf } from './shared/executions.ts';
import { NOTHING, ofMany } from './shared/many-orders.ts';
import { awaitsResolve, changedMeanwhile } from './shared/order-details.ts';
import { pauseInForce } from './shared/pause.ts';
import { canAsk, requireYes } from './shared/questions.ts';
import type { OrderRecord } from './shared/record.ts';
import { type CommandResult, Refusal, time } from './shared/text.ts';

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

const RULE =
  'Specification, 8.2: "Between two reads of an order, the partner waits `pollAfterSeconds` as returned by the last read."';

/**
 * Ends the waits of `Retry-After`: the token's, which all orders share, and the order's own. A long `pollAfterSeconds` ends if a person
 * confirms that; a shorter one does not end.
 * @param yes true: confirmed. Undefined: ask.
 * @returns what was ended.
 * @throws Refusal without the confirmation, or if the order changed meanwhile.
 */
async function endWaits(
  { record: { table }, settings }: StageConnection,
  order: OrderItem,
  yes: boolean | undefined,
): Promise<string[]> {
  const { orderRef, item, notBefore, pollAfterSeconds = 0 } = order;
  const { readAt, reason, throttled } = notBefore;
  const left = reason ? 0 : secondsUntil(readAt);
  const isLong = left > 0 && Math.max(left, pollAfterSeconds) > (settings().longWaitSeconds ?? 86_400);
  if (isLong && !yes) await confirmEarlyRead(`${RULE} Order ${orderRef} waits until ${time(readAt)}.`, yes);
  const { TOKEN_KEY } = await import('../core/aws/order-table.ts');
  const { sameNotBefore } = await import('../core/order/not-before.ts');
  const ended = [...(throttled || reason ? ['Retry-After'] : []), ...(isLong ? ['pollAfterSeconds'] : [])];
  if (ended.length > 0) {
    const read = { 'notBefore.readAt': undefined, 'notBefore.reason': undefined };
    // The next execution would wait for `pollAfterSeconds` again.
    const poll = isLong && { pollAfterSeconds: undefined };
    const changes = { 'notBefore.throttled': undefined, ...((isLong || reason) && read), ...poll };
    const { condition, values } = sameNotBefore(order, changes);
    if (!(await table.updateItem({ orderRef, item }, changes, condition, values))) throw changedMeanwhile(orderRef);
  }
  const now = { ':now': Date.now() };
  const isToken = await table.updateItem(TOKEN_KEY, { notBefore: undefined }, '#notBefore > :now', now);
  return isToken ? [...ended, 'token'] : ended;
}

async function confirmEarlyRead(rule: string, yes: boolean | undefined): Promise<void> {
  if (yes === false || !canAsk()) throw new Refusal(`${rule} ${NOTHING} To read it earlier, add --yes.`);
  process.stderr.write(`${rule}\n`);
  await requireYes('Read it earlier?', NOTHING);
}
