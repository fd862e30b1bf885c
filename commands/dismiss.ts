import type { OrderItem } from '../core/order/order-item.ts';
import { latest } from '../core/time.ts';
import { type AddCommand, ofOrders, reasonOf, withConnection } from './shared/arguments.ts';
import type { StageConnection } from './shared/connection.ts';
import { type Execution, runningOf } from './shared/executions.ts';
import type { OrderDetails } from './shared/order-details.ts';
import { changedMeanwhile, createdAs, creationOf, isCreationUnknown } from './shared/order-details.ts';
import { type CommandResult, Refusal, time } from './shared/text.ts';

export const addDismiss: AddCommand = (program, perform) =>
  ofOrders(program, 'dismiss', 'end orders on our side that wait for an operator; the order service is told nothing')
    .requiredOption('--reason <text>', 'why, without personal data: it stays in the timeline', reasonOf)
    .action(withConnection(perform, dismiss));

/** The failure of an order that was dismissed. `list`, `show` and `status.json` show it. */
export const DISMISSED_BY_OPERATOR = 'DismissedByOperator';

interface Candidate {
  details: OrderDetails;
  executions: Execution[];
}

/** If one of the orders cannot be dismissed, none is. */
export async function dismiss(
  connection: StageConnection,
  orderRefs: string[],
  { reason }: { reason: string },
): Promise<CommandResult> {
  const candidates: Candidate[] = [];
  for (const orderRef of new Set(orderRefs)) candidates.push(await candidate(connection, orderRef));
  const answers: CommandResult[] = [];
  for (const one of candidates) {
    const { order } = one.details;
    answers.push(order.dismissed ? again(order) : await dismissOne(connection, one, reason));
  }
  return { lines: answers.flatMap(({ lines }) => lines), json: { reason, orders: answers.map(({ json }) => json) } };
}

/** @throws Refusal when the order cannot be dismissed. */
async function candidate({ record, executions }: StageConnection, orderRef: string): Promise<Candidate> {
  const details = await record.details(orderRef);
  const { order } = details;
  if (order.dismissed) return { details, executions: [] };
  const latestExecutions = await executions.since(order);
  const problem = await problemOf(details, latestExecutions);
  if (problem !== undefined) throw new Refusal(`${problem} No order was dismissed.`);
  return { details, executions: latestExecutions };
}

async function problemOf(details: OrderDetails, executions: Execution[]): Promise<string | undefined> {
  const { orderRef, status, waitingFor, resume } = details.order;
  if (waitingFor === 'nobody') return `Order ${orderRef} is ${status}, which is final: there is nothing to dismiss.`;
  const running = runningOf(executions);
  if (running)
    return `Execution ${running.name} of order ${orderRef} is running: stop it with "loan-orders abort ${orderRef}" first.`;
  if (waitingFor !== 'operator') {
    return resume
      ? `An outage stopped order ${orderRef}, and it goes on by itself at ${time(resume.at)}: abort it then.`
      : `Order ${orderRef} waits for ${waitingFor}, not for an operator: if it was stopped just now, repeat this in a minute.`;
  }
  const creation = creationOf(details);
  const { creationOverAt } = await import('../core/order/creation-word.ts');
  const over = creation && creationOverAt(creation, Date.now());
  return (
    over &&
    `The call that creates order ${orderRef} may still be under way: repeat this after ${time(over.toISOString())}.`
  );
}

async function dismissOne(
  connection: StageConnection,
  { details, executions }: Candidate,
  reason: string,
): Promise<CommandResult> {
  const { record } = connection;
  const { order } = details;
  const { orderRef, failure: before } = order;
  const by = await connection.by();
  const at = latest(new Date().toISOString(), order.changedAt) as string;
  const failure = { error: DISMISSED_BY_OPERATOR, cause: `An operator dismissed the order: ${reason}`, at };
  const dismissed = { at, by, ...(before && { failure: before }) };
  // The newest execution may have ended without claiming the order. Its end must no longer be recorded.
  const generation = executions.at(-1)?.generation ?? order.generation;
  // The next sweep ends the order and dates its end: operators cannot write the attributes that retention uses.
  const changes = { failure, dismissed, generation, waitingFor: 'nobody' };
  const isStopped = '#generation = :current AND #waitingFor = :operator';
  const values = { ':current': order.generation, ':operator': 'operator' };
  if (!(await record.table.updateItem({ orderRef, item: 'order' }, changes, isStopped, values)))
    throw changedMeanwhile(orderRef);
  const facts = { by, reason, ...(before && { 'failure before': before.error }) };
  await record.addToTimeline(orderRef, 'An operator dismissed the order', facts);
  return {
    lines: [
      `Order ${orderRef} is dismissed: it waits for nobody, and is kept as long as an order that is over. ${service(details)}`,
    ],
    json: { orderRef, orderId: orderIdOf(details), atService: atService(details), dismissed: { at, by } },
  };
}

function again({ orderRef, orderId, dismissed }: OrderItem): CommandResult {
  return {
    lines: [`Order ${orderRef} was dismissed before, at ${time(dismissed?.at)}, by ${dismissed?.by}.`],
    json: { orderRef, orderId, dismissed: { at: dismissed?.at, by: dismissed?.by } },
  };
}

/** The ledger may know an `orderId` that an interrupted function did not write into the order. */
function orderIdOf(details: OrderDetails): string | undefined {
  return details.order.orderId ?? createdAs(creationOf(details));
}

function atService(details: OrderDetails): 'yes' | 'no' | 'unknown' {
  if (orderIdOf(details) !== undefined) return 'yes';
  return isCreationUnknown(details) ? 'unknown' : 'no';
}

function service(details: OrderDetails): string {
  const { orderRef } = details.order;
  const back = `"loan-orders retry ${orderRef}" brings it back until its files are removed.`;
  const sentence = {
    yes: `The order service was not notified and has the order as ${orderIdOf(details)}, which may go on there.`,
    unknown: 'The order service was not notified, and nobody knows whether it has the order.',
    no: 'The order service does not have the order.',
  };
  return `${sentence[atService(details)]} ${back}`;
}
