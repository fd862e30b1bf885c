import type { StagePause } from '../core/order/stage-pause.ts';
import { coloured, meaningOf } from './colours.ts';
import { decidedSentence } from './offers/decided.ts';
import { findPause } from './pause.ts';
import type { Answer } from './refusal.ts';
import { executionRow, facts, operationRow, timelineRow } from './show/facts.ts';
import { pauseFacts, pauseRows } from './show/pause.ts';
import { rejectedFacts, rejectedSection, seenRejected, showRejected } from './show/rejected.ts';
import { type SeenWords, seenWords, wordsFacts, wordsSection } from './show/service-words.ts';
import { type OperationView, type OrderView, orderView, timelineView } from './show/views.ts';
import type { Connection } from './stage/connection.ts';
import { isCreationUnknown } from './stage/creation.ts';
import type { Execution } from './stage/executions.ts';
import { noOrder, type OrderDetails } from './stage/record.ts';
import { columns, plain, time } from './text.ts';

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
  const { executions, failure, operations } = view;
  const choices = choiceLines(view);
  const advice = adviceFor(view);
  return [
    ...columns([...facts(order), ...pauseRows(order, pause)], (cell, column) =>
      column === 1 ? meaningOf(cell) : 'none',
    ),
    ...section('Executions', executions.length > 0 ? executionRows(executions) : [['Step Functions knows none.']]),
    ...(failure ? ['', 'Failure', `  ${coloured('bad', failureLine(failure))}`, ...fixLines(details, view)] : []),
    ...wordsSection(words),
    ...(advice ? ['', 'What to do', `  ${advice}`] : []),
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
  return [['NAME', 'STATE', 'ATTEMPTS', 'INTENDED', 'ENDED', 'LAST CALL'], ...operations.map(operationRow)];
}

/** The chosen offers and their states. Where the rule could not choose, its reason comes first. */
function choiceLines({ decisionReason, decided, none, choices = [] }: OrderView): string[] {
  const rows = choices.map(({ offerId, code, state }) => [offerId, code, state]);
  return [
    ...(decisionReason ? [`A human must choose. ${plain(decisionReason)}`] : []),
    ...(decided ? [decidedSentence(decided)] : []),
    ...(none ? ['No further offer is taken.'] : []),
    ...(rows.length > 0 ? columns([['OFFER', 'CODE', 'STATE'], ...rows]) : []),
  ];
}

function failureLine({ error, cause, at }: NonNullable<OrderView['failure']>): string {
  return plain(`${error} at ${time(at)}: ${cause}`);
}

/** What to do about the failure. During an outage, or while the creation is unknown, the advice for the situation replaces it. */
function fixLines(details: OrderDetails, { fix, section, nextTryAt }: OrderView): string[] {
  const isSaid = nextTryAt !== undefined || isCreationUnknown(details);
  return [...(isSaid ? [] : [`  ${fix}`]), `  See ${section}`];
}

function adviceFor({ orderRef, situation, removal }: OrderView): string | undefined {
  const retry = `run "loan-orders retry ${orderRef}".`;
  switch (situation) {
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
