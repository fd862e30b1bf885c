import type { StagePause } from '../core/order/stage-pause.ts';
import { decidedSentence } from './offers/decided.ts';
import { findPause } from './pause.ts';
import { executionRow, facts, operationRow, timelineRow } from './show/facts.ts';
import type { Advice } from './show/failure-advice.ts';
import { pauseFacts, pauseRows } from './show/pause.ts';
import { rejectedFacts, rejectedSection, seenRejected, showRejected } from './show/rejected.ts';
import { type SeenWords, seenWords, wordsFacts, wordsSection } from './show/service-words.ts';
import { type OperationView, type OrderView, orderView, timelineView } from './show/views.ts';
import type { Connection } from './stage/connection.ts';
import type { Execution } from './stage/executions.ts';
import { noOrder, type OrderDetails } from './stage/record.ts';
import { type Answer, coloured, columns, meaningOf, plain, time } from './text.ts';

/** `show <orderRef>`: everything that the record and Step Functions know about an order. */
export async function show(connection: Connection, orderRef: string): Promise<Answer> {
  const { record, executions } = connection;
  const details = await record.findDetails(orderRef);
  const uploads = await seenRejected(connection, orderRef);
  if (!details) {
    if ('denied' in uploads || uploads.length === 0) throw noOrder(orderRef);
    return showRejected(orderRef, uploads);
  }
  const latestExecutions = await executions.since(orderRef, details.order.generation);
  const pause = await findPause(record.table);
  const words = await seenWords(connection, orderRef);
  const view = orderView(details, latestExecutions);
  return {
    lines: [...orderLines(details, view, pause, words), ...rejectedSection(uploads)],
    json: { ...view, ...wordsFacts(words), ...pauseFacts(details.order, pause), ...rejectedFacts(uploads) },
  };
}

/** The lines of one order. An archive of its evidence has them, too. */
export function orderLines(
  details: OrderDetails,
  view: OrderView,
  pause?: StagePause,
  words: SeenWords = { newest: [], more: 0 },
): string[] {
  const { order, timeline } = details;
  const { executions, operations } = view;
  const choices = choiceLines(view);
  return [
    ...columns([...facts(order), ...pauseRows(order, pause)], (cell, column) =>
      column === 1 ? meaningOf(cell) : 'none',
    ),
    ...section('Executions', executions.length > 0 ? executionRows(executions) : [['Step Functions knows none.']]),
    ...failureSection(view),
    ...wordsSection(words),
    ...(choices.length > 0 ? ['', 'Choices', ...choices.map((line) => `  ${line}`)] : []),
    ...section('Operations', operations.length > 0 ? operationRows(operations) : [['No operations yet.']]),
    ...section(
      'Timeline',
      timeline.map((entry) => timelineRow(timelineView(details, entry))),
    ),
  ];
}

function section(title: string, rows: string[][]): string[] {
  return ['', title, ...columns(rows).map((line) => `  ${line}`)];
}

function executionRows(executions: Execution[]): string[][] {
  return [['NAME', 'STATUS', 'STARTED', 'ENDED'], ...executions.map(executionRow)];
}

function operationRows(operations: OperationView[]): string[][] {
  return [['NAME', 'STATE', 'ATTEMPTS', 'SINCE', 'LAST CALL'], ...operations.map(operationRow)];
}

/** The chosen offers and their states. Where the rule could not choose, its reason comes first. */
function choiceLines({ decisionReason, decided, none, choices = [] }: OrderView): string[] {
  const rows = choices.map(({ offerId, code, state }) => [offerId, code, state]);
  return [
    ...(decisionReason ? [`A human must choose. ${plain(decisionReason)}`] : []),
    ...(decided ? [decidedSentence(decided)] : []),
    ...(none ? [rows.length > 0 ? 'No further offer is taken.' : 'No offer is taken.'] : []),
    ...(rows.length > 0 ? columns([['OFFER', 'CODE', 'STATE'], ...rows]) : []),
  ];
}

/** What stopped the order, and what to do next. */
export function failureSection({ failure, advice }: OrderView): string[] {
  return [
    ...(failure ? ['', 'Failure', `  ${coloured('bad', failureLine(failure))}`] : []),
    ...(advice ? ['', 'What to do', ...adviceLines(advice)] : []),
  ];
}

function adviceLines({ happened, step, command, section }: Advice): string[] {
  return [happened, step, `  ${command}`, `See ${section}`].map((line) => `  ${line}`);
}

function failureLine({ error, cause, at }: NonNullable<OrderView['failure']>): string {
  return plain(`${error} at ${time(at)}: ${cause}`);
}
