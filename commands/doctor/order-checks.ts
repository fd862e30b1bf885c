import { isFinal } from '../../core/order/order-item.ts';
import type { ListedOrder } from '../shared/order-details.ts';
import { creationsLine } from '../shared/pause.ts';
import { plain, some, time } from '../shared/text.ts';
import { NotChecked, ok, problem, type Verdict } from './finding.ts';
import type { StageView } from './stage-view.ts';

type Failed = ListedOrder & Required<Pick<ListedOrder, 'failure'>>;

/** Orders that wait for an operator. None of them continues until somebody acts. */
export function ordersVerdict(table: string, orders: ListedOrder[]): Verdict {
  const stopped = orders.filter(({ waitingFor }) => waitingFor === 'operator');
  const open = orders.filter(({ waitingFor }) => waitingFor !== 'nobody');
  const has = `Table ${table} answers. It has ${some(open.length, 'open order')}`;
  if (stopped.length === 0) return ok(`${has}; none waits for an operator.`);
  const counts = new Map<string, number>();
  for (const { failure } of stopped) {
    const name = failure?.error ?? 'without a failure';
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const listed = [...counts].map(([name, count]) => `${count} ${plain(name)}`).join(', ');
  const fix = '"loan-orders list --waiting-for operator" has the next step of each.';
  return problem(`${has}, and an operator must look at ${stopped.length}: ${listed}. ${fix}`);
}

/** Only functions get tokens, so their failures are found in the orders. Orders whose credentials, token or client certificate were refused. Each of them waits for an operator. */
export function tokenVerdict(orders: ListedOrder[]): Verdict {
  const stopped = stoppedBy(orders, 'Unauthorized');
  const [newest] = stopped;
  if (!newest) return ok(`No order waits because of Unauthorized. ${lastAnswer(orders)}`);
  return problem(
    `${count(stopped)} because of Unauthorized, the newest (${newest.orderRef}) since ${time(newest.failure.at)}. ${lastAnswer(orders)} ` +
      'Put the right credentials or certificate into the secret, then retry (docs/operations.md#unauthorized).',
  );
}

/** The finding on orders that stopped because the order service could not be reached. The sweep starts them again, for as long as `outagePatienceHours`. */
export function serviceVerdict(orders: ListedOrder[]): Verdict {
  const stopped = stoppedBy(orders, 'ServiceUnavailable');
  const [newest] = stopped;
  if (!newest) return ok(`No order waits because of ServiceUnavailable. ${lastAnswer(orders)}`);
  const forOperator = stopped.filter(({ waitingFor }) => waitingFor === 'operator');
  const isBack = (lastAnswered(orders) ?? '') > newest.failure.at;
  const what =
    `${count(stopped)} because of ServiceUnavailable, the newest (${newest.orderRef}) since ${time(newest.failure.at)}: ` +
    `${plain(newest.failure.cause)} ${lastAnswer(orders)}`;
  if (isBack && forOperator.length === 0) return ok(`${what} The sweep starts them again by itself.`);
  const others = forOperator.length < stopped.length ? 'Those that wait for the service go on by themselves. ' : '';
  const retry =
    forOperator.length > 0 ? `Retry those that wait for an operator: ${forOperator.length}, ` : 'Ask the service, ';
  return problem(`${what} ${others}${retry}see docs/operations.md#serviceunavailable.`);
}

/** Unusable answers, for example empty ones. */
export function answersVerdict(orders: ListedOrder[]): Verdict {
  const stopped = stoppedBy(orders, 'UnexpectedResponse', 'NoUsableAnswer');
  const [newest] = stopped;
  if (!newest) return ok('No order waits because of an answer that cannot be used.');
  const { orderRef, failure } = newest;
  return problem(
    `${count(stopped)} because of ${newest.failure.error}, the newest (${orderRef}) since ${time(failure.at)}: ${plain(failure.cause)} ` +
      'Show the service its answer (docs/operations.md#unexpectedresponse).',
  );
}

/** The newest failure first. */
function stoppedBy(orders: ListedOrder[], ...errors: string[]): Failed[] {
  const isOne = ({ failure, waitingFor }: ListedOrder) =>
    errors.includes(failure?.error ?? '') && waitingFor !== 'nobody';
  return orders
    .filter((order): order is Failed => isOne(order))
    .sort((one, other) => other.failure.at.localeCompare(one.failure.at));
}

function count(orders: readonly unknown[]): string {
  return `${some(orders.length, 'order')} ${orders.length === 1 ? 'waits' : 'wait'}`;
}

function lastAnswer(orders: ListedOrder[]): string {
  const at = lastAnswered(orders);
  if (at === undefined) return 'No order has been read at the service yet, so nothing shows that it answers.';
  return `An order that the service answers for changed last at ${time(at)}.`;
}

/** The last change of any order that was read at the service and has not failed since. Each recorded read changes the order. */
function lastAnswered(orders: ListedOrder[]): string | undefined {
  const answered = orders.filter(({ status, failure }) => isFinal(status) || (status !== 'RECEIVED' && !failure));
  return answered
    .map(({ changedAt }) => changedAt)
    .sort()
    .at(-1);
}

/** The orders, for a check that need not report why they could not be read: {@link ordersVerdict} does. */
export async function ordersOf(view: StageView): Promise<ListedOrder[]> {
  try {
    return await view.orders();
  } catch {
    throw new NotChecked('the order table could not be read');
  }
}

/** Orders that wait because the service has not answered a creation. */
export function creationsVerdict(
  orders: ListedOrder[],
  creations: Parameters<typeof creationsLine>[0] | undefined,
): Verdict {
  if (!creations) return ok('No order waits for the service to answer creations.');
  const waiting = orders.filter(({ status, waitingFor }) => status === 'RECEIVED' && waitingFor === 'service');
  return problem(
    `${creationsLine(creations)} ${count(waiting)}. See docs/operations.md#a-creation-whose-outcome-is-unknown.`,
  );
}
