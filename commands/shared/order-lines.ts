import { mayBeConfirmed } from '../../core/order/decision-states.ts';
import type { OrderItem, RemovedPart } from '../../core/order/order-item.ts';
import { readDelayOf } from '../../core/order/read-delay.ts';
import type { StagePause } from '../../core/order/stage-pause.ts';
import { isToMove } from '../../core/recovery/move.ts';
import { decidedSentence } from './decided.ts';
import type { Execution } from './executions.ts';
import { valueText } from './offer-view.ts';
import { nextTryOf, type OrderDetails } from './order-details.ts';
import { pauseRows } from './pause.ts';
import { type SeenWords, wordsSection } from './service-words.ts';
import { capitalized, coloured, columns, meaningOf, plain, time } from './text.ts';
import { type OperationView, type OrderView, timelineView } from './views.ts';

/** The lines of one order. An archive of its evidence has them, too. */
export function orderLines(
  details: OrderDetails,
  view: OrderView,
  pause?: StagePause,
  words: SeenWords = { newest: [], more: 0 },
): string[] {
  const { order } = details;
  const { executions, operations } = view;
  const choices = choiceLines(view);
  return [
    ...columns([...facts(order), ...pauseRows(order, pause)], (cell, column) =>
      column === 1 ? meaningOf(cell) : 'none',
    ),
    ...section('Executions', executionRows(executions)),
    ...failureSection(view),
    ...wordsSection(words),
    ...(choices.length > 0 ? ['', 'Choices', ...choices.map((line) => `  ${line}`)] : []),
    ...section('Operations', operationRows(operations)),
    ...section('Timeline', timelineRows(details)),
  ];
}

function section(title: string, rows: string[][]): string[] {
  return ['', title, ...columns(rows).map((line) => `  ${line}`)];
}

function executionRows(executions: Execution[]): string[][] {
  if (executions.length === 0) return [['Step Functions knows none.']];
  const rows = executions.map(({ name, status, startedAt, endedAt }) => [name, status, time(startedAt), time(endedAt)]);
  return [['NAME', 'STATUS', 'STARTED', 'ENDED'], ...rows];
}

function operationRows(operations: OperationView[]): string[][] {
  if (operations.length === 0) return [['No operations yet.']];
  return [['NAME', 'STATE', 'ATTEMPTS', 'SINCE', 'LAST CALL'], ...operations.map(operationRow)];
}

function timelineRows(details: OrderDetails): string[][] {
  return details.timeline.map((entry) => {
    const { at, what, facts } = timelineView(details, entry);
    return [time(at), [what, ...facts].join(', ')];
  });
}

/** The chosen offers and their states. Where the rule could not choose, its reason comes first. */
function choiceLines({ decisionReason, decided, none, choices = [] }: OrderView): string[] {
  const rows = choices.map(({ offerId, code, state, refused }) => [
    offerId,
    code,
    [state, ...refusalWords(refused)].join(', '),
  ]);
  return [
    ...(decisionReason ? [`A human must choose. ${plain(decisionReason)}`] : []),
    ...(decided ? [decidedSentence(decided)] : []),
    // A withdrawn or refused choice takes no offer.
    ...(none ? [`No ${choices.some(({ state }) => mayBeConfirmed(state)) ? 'further ' : ''}offer is taken.`] : []),
    ...(rows.length > 0 ? columns([['OFFER', 'CODE', 'STATE'], ...rows]) : []),
  ];
}

function refusalWords(refused: NonNullable<OrderView['choices']>[number]['refused']): string[] {
  if (!refused) return [];
  const { httpStatus, finalAbout } = refused;
  return [`the service answered ${httpStatus}`, ...(finalAbout ? [`final about ${time(finalAbout)}`] : [])];
}

export function failureSection({ failure, advice }: OrderView): string[] {
  const stopped = failure && plain(`${failure.error} at ${time(failure.at)}: ${failure.cause}`);
  const { happened, step, command, section } = advice ?? {};
  const toDo = [happened, step, `  ${command}`, `See ${section}`].map((line) => `  ${line}`);
  return [
    ...(stopped ? ['', 'Failure', `  ${coloured('bad', stopped)}`] : []),
    ...(advice ? ['', 'What to do', ...toDo] : []),
  ];
}

function facts(order: OrderItem): string[][] {
  const [wait, nextTry] = [readDelayOf(order), nextTryOf(order)];
  const whose =
    wait?.whose === 'outage' ? 'because we wait after an outage' : `as the order service asked (${wait?.whose})`;
  const reached = order.status === 'CLOSED' ? 'was closed' : 'reached its offers';
  return [
    ['Order', order.orderRef],
    ['Status', order.status],
    ['Waiting for', order.waitingFor],
    ...(order.due ? [['Due', time(order.due)]] : []),
    ...Object.entries(order.labels ?? {}).map(([name, label]) => [capitalized(name), valueText(label)]),
    ['Order id', order.orderId ?? ''],
    // An order may be closed before a read shows any offers.
    ...(order.unsigned ? [['Signed', `No: the order ${reached} without our signatures.`]] : []),
    ['Documents', String(order.documents.length)],
    ['Generation', String(order.generation)],
    ['Execution', order.execution ?? ''],
    ['Release', releaseOf(order)],
    ['Created', time(order.createdAt)],
    ['Changed', time(order.changedAt)],
    ...dataRows(order),
    ...(wait ? [['Next read', `${time(wait.until)}, ${whose}`]] : []),
    ...(nextTry ? [['Next try', `${time(nextTry.at)}, by itself: number ${nextTry.tries} in this outage`]] : []),
  ];
}

function releaseOf({ release = '', ...order }: OrderItem): string {
  return isToMove(order) ? `${release}, and from its next read on in ${order.moveTo?.release}` : release;
}

/** An operation as a row. The name of its file replaces a position or a `fileId`, and the version. */
function operationRow({ failure = '', facts, ...operation }: OperationView): string[] {
  const { name, file, state, attempts, intendedAt, endedAt } = operation;
  const lastCall = [failure, ...facts].filter(Boolean).join(', ');
  const shortName = file === undefined ? name : `${name.split('#', 2).join('#')} ${file}`;
  return [shortName, state, String(attempts), time(endedAt ?? intendedAt), plain(lastCall)];
}

/** What `show` says about dismissals, holds and removals, as rows of a name and a value. */
function dataRows({ dismissed, legalHold, removal }: OrderItem): string[][] {
  const after = dismissed?.failure ? `, after ${dismissed.failure.error}` : '';
  return [
    ...(dismissed ? [['Dismissed', `${time(dismissed.at)}, by ${dismissed.by}${after}`]] : []),
    ...(legalHold ? [['Legal hold', `since ${time(legalHold.at)}, by ${legalHold.by}`]] : []),
    ...(removal ? [['Files', stateOf(removal.files, 'removed', 'versions')]] : []),
    ...(removal?.record ? [['Record', stateOf(removal.record, 'reduced', 'items')]] : []),
  ];
}

/** A part is called removed only when it is completely removed. */
function stateOf({ by, begunAt, endedAt, count }: RemovedPart, done: string, what: string): string {
  if (endedAt === undefined) return `INCOMPLETE: being ${done} since ${time(begunAt)}, by ${by}`;
  return `${done} ${time(endedAt)}: ${count} ${what}, by ${by}`;
}
