import { type Decision, stateOf } from '../core/order/choices.ts';
import { isToMove } from '../core/order/move.ts';
import type { OrderItem } from '../core/order/order-item.ts';
import type { StagePause } from '../core/order/stage-pause.ts';
import { factsOf } from '../core/order/what-happened.ts';
import { coloured, meaningOf } from './colours.ts';
import { decidedSentence } from './offers/decided.ts';
import { rejectedSummary } from './orders/list-rejected.ts';
import type { Answer } from './refusal.ts';
import { facts, nextReadOf, nextTryOf } from './show/facts.ts';
import { adviceOn } from './show/failure-advice.ts';
import { fileOf, namedFact, withNames } from './show/file-names.ts';
import { pauseFacts, pauseRows } from './show/pause.ts';
import { rejectedSection, showRejected } from './show/rejected.ts';
import { type SeenWords, seenWords, wordsFacts, wordsSection } from './show/service-words.ts';
import { situationOf } from './show/situation.ts';
import type { Connection } from './stage/connection.ts';
import { isCreationUnknown } from './stage/creation.ts';
import type { Execution } from './stage/executions.ts';
import { noOrder, OPERATION_PREFIX, type OrderDetails, type TimelineEntry } from './stage/record.ts';
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
  const words = await seenWords(connection, orderRef);
  const facts = { ...report(details, known), ...wordsFacts(words), ...pauseFacts(details.order, pause) };
  return {
    lines: [...orderLines(details, known, pause, words), ...rejectedSection(lines)],
    json: { ...facts, ...(lines.length > 0 && { rejected: lines.map(rejectedSummary) }) },
  };
}

/** The lines of one order. An archive of its evidence has them, too. */
export function orderLines(
  details: OrderDetails,
  executions: Execution[],
  pause?: StagePause,
  words: SeenWords = { newest: [], more: 0 },
): string[] {
  const { order, operations, timeline } = details;
  const choices = choiceLines(details);
  const advice = adviceFor(details, executions);
  return [
    ...columns([...facts(order), ...pauseRows(order, pause)], (cell, column) =>
      column === 1 ? meaningOf(cell) : 'none',
    ),
    ...section('Executions', executions.length > 0 ? executionRows(executions) : [['Step Functions knows none.']]),
    ...(order.failure
      ? ['', 'Failure', `  ${coloured('bad', failureLine(details, order.failure))}`, ...mendLines(details)]
      : []),
    ...wordsSection(words),
    ...(advice ? ['', 'What to do', `  ${advice}`] : []),
    ...(choices.length > 0 ? ['', 'Choices', ...choices.map((line) => `  ${line}`)] : []),
    ...section('Operations', operations.length > 0 ? operationRows(details) : [['No operations yet.']]),
    ...section(
      'Timeline',
      timeline.map((entry) => timelineRow(details, entry)),
    ),
  ];
}

function section(title: string, rows: string[][]): string[] {
  return ['', title, ...columns(rows).map((line) => `  ${line}`)];
}

function executionRows(executions: Execution[]): string[][] {
  const rows = executions.map(({ name, status, startedAt, endedAt }) => [name, status, time(startedAt), time(endedAt)]);
  return [['NAME', 'STATUS', 'STARTED', 'ENDED'], ...rows];
}

function operationRows(details: OrderDetails): string[][] {
  const rows = details.operations.map(({ item, knowledge, attempts, intendedAt, endedAt, failure = '' }) => {
    const name = shownName(details, nameOf(item));
    return [name, knowledge.state, String(attempts), time(intendedAt), time(endedAt), withNames(details, failure)];
  });
  return [['NAME', 'STATE', 'ATTEMPTS', 'INTENDED', 'ENDED', 'LAST FAILURE'], ...rows];
}

/** An operation's name, with the name of its file in place of a position or a `fileId`, and of the version. */
function shownName(details: OrderDetails, name: string): string {
  const file = fileOf(details, name);
  return file === undefined ? name : `${name.split('#', 2).join('#')} ${file}`;
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
    ...(decision?.decided ? [decidedSentence(decision.decided)] : []),
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

function timelineRow(details: OrderDetails, entry: TimelineEntry): string[] {
  const { at, what } = entry;
  const facts = factsOf(entry).map((fact) => namedFact(details, what, fact));
  return [time(at), [what, ...facts].join(', ')];
}

function failureLine(details: OrderDetails, { error, cause, at }: NonNullable<OrderItem['failure']>): string {
  return plain(`${error} at ${time(at)}: ${withNames(details, cause)}`);
}

/** What mends the failure. While an outage is waited out, or the creation is unknown, the general advice says it better. */
function mendLines(details: OrderDetails): string[] {
  const advice = adviceOn(details);
  if (!advice) return [];
  const isSaid = nextTryOf(details.order) || isCreationUnknown(details);
  return [...(isSaid ? [] : [`  ${advice.mend}`]), `  See ${advice.section}`];
}

function adviceFor(details: OrderDetails, executions: Execution[]): string | undefined {
  const { orderRef, removal } = details.order;
  const retry = `run "loan-orders retry ${orderRef}".`;
  switch (situationOf(details, executions)) {
    case 'dismissed':
      return removal ? undefined : `Nothing. To bring the order back, ${retry}`;
    case 'creation unknown':
      return (
        'It is unknown whether the order service has this order. Ask the service, then run ' +
        `"loan-orders resolve ${orderRef} --order-id <orderId>" or "loan-orders resolve ${orderRef} --not-created".`
      );
    case 'outage':
      return `An outage stopped this order. It goes on by itself. To try sooner, ${retry}`;
    case 'stopped':
      return `No execution drives this order. Fix what stopped it, then ${retry}`;
    default:
      return undefined;
  }
}

/** What `show` says of an order, for scripts and for the console. */
export type OrderReport = ReturnType<typeof report>;

export function report(details: OrderDetails, executions: Execution[]) {
  const { order, decision, operations, timeline } = details;
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
    ...adviceOn(details),
    ...(order.unsigned && { unsigned: true }),
    dismissed: order.dismissed,
    legalHold: order.legalHold,
    removal: order.removal,
    decisionReason: reasonFor(order, decision),
    decided: decision?.decided,
    choices: decision?.choices.map((known) => ({
      offerId: known.choice.offerId,
      code: known.choice.code,
      state: stateOf(known, status),
    })),
    operations: operations.map(({ item, knowledge, attempts, intendedAt, endedAt, failure: last }) => {
      const file = fileOf(details, nameOf(item));
      return { name: nameOf(item), file, state: knowledge.state, attempts, intendedAt, endedAt, failure: last };
    }),
    timeline: timeline.map(({ orderRef: _orderRef, item: _item, ...entry }) => entry),
  };
}
