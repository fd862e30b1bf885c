import { type Decision, stateOf } from '../functions/shared/order/choices.ts';
import { isToMove } from '../functions/shared/order/move.ts';
import type { OrderItem } from '../functions/shared/order/order-item.ts';
import type { StagePause } from '../functions/shared/order/stage-pause.ts';
import { latest } from '../functions/shared/time.ts';
import { rejectedSummary } from './orders/list-rejected.ts';
import type { Answer } from './refusal.ts';
import { dataRows } from './show-data.ts';
import { pauseFacts, pauseRows } from './show-pause.ts';
import { rejectedSection, showRejected } from './show-rejected.ts';
import type { Connection } from './stage/connection.ts';
import { isCreationUnknown } from './stage/creation.ts';
import { type Execution, runningOf } from './stage/executions.ts';
import { noOrder, OPERATION_PREFIX, type Operation, type OrderDetails, type TimelineEntry } from './stage/record.ts';
import { columns, plain, time } from './text.ts';

/** `show <orderRef>`: everything that the record and Step Functions know about an order. */
export async function show(connection: Connection, orderRef: string): Promise<Answer> {
  const { record, rejected, executions, pauses } = connection;
  const details = await record.findDetails(orderRef);
  const lines = await rejected.inFolder(orderRef);
  if (!details && lines.length === 0) throw noOrder(orderRef);
  if (!details) return showRejected(orderRef, lines);
  const known = await executions.since(orderRef, details.order.generation);
  const pause = await pauses.find();
  const facts = { ...report(details, known), ...pauseFacts(details.order, pause) };
  return {
    lines: [...page(details, known, pause), ...rejectedSection(lines)],
    json: { ...facts, ...(lines.length > 0 && { rejected: lines.map(rejectedSummary) }) },
  };
}

function page(details: OrderDetails, executions: Execution[], pause: StagePause | undefined): string[] {
  const { order, operations, timeline } = details;
  const choices = choiceLines(details);
  const advice = adviceFor(details, executions);
  return [
    ...columns([...facts(order), ...pauseRows(order, pause)]),
    ...section('Executions', executions.length > 0 ? executionRows(executions) : [['Step Functions knows none.']]),
    ...(order.failure ? ['', 'Failure', `  ${failureLine(order.failure)}`] : []),
    ...(advice ? ['', 'What to do', `  ${advice}`] : []),
    ...(choices.length > 0 ? ['', 'Choices', ...choices.map((line) => `  ${line}`)] : []),
    ...section('Operations', operations.length > 0 ? operationRows(operations) : [['No operations yet.']]),
    ...section('Timeline', timeline.map(timelineRow)),
  ];
}

function section(title: string, rows: string[][]): string[] {
  return ['', title, ...columns(rows).map((line) => `  ${line}`)];
}

function facts(order: OrderItem): string[][] {
  return [
    ['Order', order.orderRef],
    ['Status', order.status],
    ['Waiting for', order.waitingFor],
    ['Order id', order.orderId ?? ''],
    ...(order.unsigned ? [['Signed', 'No: the order reached its offers without our signatures.']] : []),
    ['Documents', String(order.documents.length)],
    ['Generation', String(order.generation)],
    ['Execution', order.execution ?? ''],
    ['Release', releaseOf(order)],
    ['Created', time(order.createdAt)],
    ['Changed', time(order.changedAt)],
    ...dataRows(order),
    ...nextReadRow(order),
    ...nextTryRow(order),
  ];
}

/** The release that the order runs in, and the one that it continues in. */
function releaseOf({ release = '', ...order }: OrderItem): string {
  return isToMove(order) ? `${release}, and from its next read on in ${order.moveTo?.release}` : release;
}

/** The time before which the order must not be read or called, if it is in the future. */
function nextReadRow(order: OrderItem): string[][] {
  const nextReadAt = nextReadOf(order);
  return nextReadAt === undefined ? [] : [['Next read', `${time(nextReadAt)}, as the order service asked`]];
}

/** When the sweep starts the order again after an outage. */
function nextTryRow(order: OrderItem): string[][] {
  const nextTry = nextTryOf(order);
  return nextTry ? [['Next try', `${time(nextTry.at)}, by itself: number ${nextTry.tries} in this outage`]] : [];
}

function nextTryOf({ failure, resume }: OrderItem): OrderItem['resume'] {
  return failure && resume;
}

function nextReadOf({ nextReadAt: wished, throttledUntil }: OrderItem): string | undefined {
  const nextReadAt = latest(wished, throttledUntil);
  return nextReadAt !== undefined && Date.parse(nextReadAt) > Date.now() ? nextReadAt : undefined;
}

function executionRows(executions: Execution[]): string[][] {
  const rows = executions.map(({ name, status, startedAt, endedAt }) => [name, status, time(startedAt), time(endedAt)]);
  return [['NAME', 'STATUS', 'STARTED', 'ENDED'], ...rows];
}

function operationRows(operations: Operation[]): string[][] {
  const rows = operations.map(({ item, knowledge, attempts, intendedAt, endedAt, failure = '' }) => {
    return [nameOf(item), knowledge.state, String(attempts), time(intendedAt), time(endedAt), failure];
  });
  return [['NAME', 'STATE', 'ATTEMPTS', 'INTENDED', 'ENDED', 'LAST FAILURE'], ...rows];
}

/** The chosen offers and their states. Where the rule could not choose, its reason comes first. */
function choiceLines({ order, decision }: OrderDetails): string[] {
  const reason = reasonFor(order, decision);
  const rows = (decision?.choices ?? []).map((known) => [
    known.choice.offerId,
    known.choice.code,
    stateOf(known, order.status),
  ]);
  return [
    ...(reason ? [`A human must choose. ${plain(reason)}`] : []),
    ...(decision?.none ? ['No further offer is taken.'] : []),
    ...(rows.length > 0 ? columns([['OFFER', 'CODE', 'STATE'], ...rows]) : []),
  ];
}

/** Why the rule could not choose. Once a human has chosen, it no longer matters. */
function reasonFor({ waitingFor, failure, decisionReason }: OrderItem, decision?: Decision): string | undefined {
  const isChosen = decision?.none || decision?.choices.some((known) => stateOf(known) === 'chosen');
  return !isChosen && (waitingFor === 'decision' || failure?.error === 'DecisionOverdue') ? decisionReason : undefined;
}

function nameOf(item: string): string {
  return item.slice(OPERATION_PREFIX.length);
}

function timelineRow({ orderRef: _orderRef, item: _item, at, what, ...known }: TimelineEntry): string[] {
  const details = Object.entries(known).map(([name, value]) => `${name} ${value}`);
  return [time(at), [what, ...details].join(', ')];
}

function failureLine({ error, cause, at }: NonNullable<OrderItem['failure']>): string {
  return plain(`${error} at ${time(at)}: ${cause}`);
}

function adviceFor(details: OrderDetails, executions: Execution[]): string | undefined {
  const { orderRef, waitingFor, dismissed, removal } = details.order;
  if (runningOf(executions)) return undefined;
  if (dismissed) return removal ? undefined : `Nothing. To bring the order back, run "loan-orders retry ${orderRef}".`;
  if (isCreationUnknown(details)) {
    return (
      'It is unknown whether the order service has this order. Ask the service, then run ' +
      `"loan-orders resolve ${orderRef} --order-id <orderId>" or "loan-orders resolve ${orderRef} --not-created".`
    );
  }
  if (waitingFor === 'nobody') return undefined;
  if (nextTryOf(details.order)) {
    return `An outage stopped this order. It goes on by itself. To try sooner, run "loan-orders retry ${orderRef}".`;
  }
  return `No execution drives this order. Fix what stopped it (docs/operations.md), then run "loan-orders retry ${orderRef}".`;
}

function report({ order, decision, operations, timeline }: OrderDetails, executions: Execution[]) {
  const { orderRef, status, waitingFor, orderId, generation, execution, createdAt, changedAt, failure } = order;
  return {
    orderRef,
    status,
    waitingFor,
    orderId,
    documents: order.documents.length,
    createdAt,
    changedAt,
    generation,
    execution,
    executions,
    nextReadAt: nextReadOf(order),
    nextTryAt: nextTryOf(order)?.at,
    release: order.release,
    movesTo: isToMove(order) ? order.moveTo?.release : undefined,
    ...(failure && { failure }),
    ...(order.unsigned && { unsigned: true }),
    dismissed: order.dismissed,
    legalHold: order.legalHold,
    removal: order.removal,
    decisionReason: reasonFor(order, decision),
    choices: decision?.choices.map((known) => ({
      offerId: known.choice.offerId,
      code: known.choice.code,
      state: stateOf(known, status),
    })),
    operations: operations.map(({ item, knowledge, attempts, intendedAt, endedAt, failure: last }) => {
      return { name: nameOf(item), state: knowledge.state, attempts, intendedAt, endedAt, failure: last };
    }),
    timeline: timeline.map(({ orderRef: _orderRef, item: _item, ...entry }) => entry),
  };
}
