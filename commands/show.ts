import { type AddCommand, ofOrder, withConnection } from './shared/arguments.ts';
import type { StageConnection } from './shared/connection.ts';
import { noOrder } from './shared/order-details.ts';
import { executionPage, logPage } from './shared/pages.ts';
import { pauseFacts, pauseInForce } from './shared/pause.ts';
import { rejectedRows } from './shared/rejected-lines.ts';
import type { RejectedLine } from './shared/rejected-uploads.ts';
import { type Denied, orDenied, type SeenWords, seenWords, wordsFacts, wordsSection } from './shared/service-words.ts';
import { type CommandResult, plainIndented } from './shared/text.ts';

export const addShow: AddCommand = (program, perform) =>
  ofOrder(program, 'show', 'show an order: status, executions, failure, choices, operations, timeline')
    .option('--problems', 'only what is wrong, in full: the failure, what the service said, and rejected files')
    .action(withConnection(perform, show));

/** Shows everything that the record and Step Functions know about an order. */
export async function show(
  connection: StageConnection,
  orderRef: string,
  { problems }: { problems?: true },
): Promise<CommandResult> {
  if (problems) return showProblems(connection, orderRef);
  const { record, executions } = connection;
  const details = await record.findDetails(orderRef);
  const uploads = await orDenied(async () => (await connection.rejected()).inFolder(orderRef));
  if (!details) {
    if ('denied' in uploads || uploads.length === 0) throw noOrder(orderRef);
    return showRejected(orderRef, uploads);
  }
  const latestExecutions = await executions.since(details.order);
  const pause = await pauseInForce(record.table, connection.outputs);
  const words = await seenWords(connection, orderRef);
  const { orderView } = await import('./shared/views.ts');
  const { orderLines } = await import('./shared/order-lines.ts');
  const view = orderView(details, latestExecutions);
  const arn = latestExecutions.at(-1)?.arn;
  const pages = { execution: arn && executionPage(connection, arn), log: logPage(connection, details.order) };
  return {
    lines: [...orderLines(details, view, pause, words), ...pageLines(pages), ...rejectedSection(uploads)],
    json: { ...view, pages, ...wordsFacts(words), ...pauseFacts(details.order, pause), ...rejectedFacts(uploads) },
  };
}

/** Not wrapped, because a narrow column would break the address. */
const pageLines = ({ execution, log }: Record<'execution' | 'log', string | undefined>) => [
  ...(execution === undefined ? [] : ['', 'Execution', `  ${execution}`]),
  ...(log === undefined ? [] : ['', 'Log', `  ${log}`]),
];

/** Only problems, but all of them. */
async function showProblems(connection: StageConnection, orderRef: string): Promise<CommandResult> {
  const { record, executions, buckets } = connection;
  const staging = await buckets();
  const details = await record.findDetails(orderRef);
  const uploads = await (await connection.rejected()).inFolder(orderRef);
  const rejected = uploads.map(({ key, why }) => ({ key: plainIndented(key), problems: why }));
  if (!details && rejected.length === 0) throw noOrder(orderRef);
  const { orderView } = await import('./shared/views.ts');
  const { failureSection } = await import('./shared/order-lines.ts');
  const view = details && orderView(details, await executions.since(details.order));
  const issues = await staging.staged<unknown>(orderRef, 'issues.json');
  const words: SeenWords = view?.failure ? await seenWords(connection, orderRef) : { newest: [], more: 0 };
  const lines = [
    ...(view ? failureSection(view) : []),
    ...(issues === undefined ? [] : ['', 'Issues', ...JSON.stringify(issues, undefined, 2).split('\n').map(indented)]),
    ...wordsSection(words, Number.POSITIVE_INFINITY),
    ...rejected.flatMap(({ key, problems }) => ['', `Rejected: ${key}`, ...problems.map(indented)]),
  ];
  const { failure, advice } = view ?? {};
  return {
    lines: lines.length > 0 ? lines.slice(1) : [`Nothing is wrong with order ${orderRef}.`],
    json: { orderRef, failure, advice, issues, ...wordsFacts(words), rejected },
  };
}

const indented = (line: string) => plainIndented(`  ${line}`);

/** The rejected uploads in an order's folder, or why they cannot be shown. */
type SeenRejected = RejectedLine[] | Denied;

/** `show` for a folder whose package was not accepted. */
function showRejected(orderRef: string, lines: RejectedLine[]): CommandResult {
  const isPackage = lines.some(({ kind }) => kind === 'package');
  const what = isPackage ? 'its package was rejected' : 'its folder has uploads that belong to no order';
  return {
    lines: [
      `There is no order ${orderRef} yet: ${what}. Nothing was sent. Upload the corrected files, and the order starts.`,
      ...rejectedSection(lines),
    ],
    json: { orderRef, rejected: lines },
  };
}

/** The uploads in the order's folder that were rejected, as the last section of `show`. */
function rejectedSection(seen: SeenRejected): string[] {
  const title = ['', 'Rejected uploads'];
  if ('denied' in seen) return [...title, `  They are not shown. ${seen.denied}`];
  return seen.length === 0 ? [] : [...title, ...rejectedRows(seen).map((line) => `  ${line}`)];
}

/** The same for scripts. */
function rejectedFacts(seen: SeenRejected) {
  if ('denied' in seen) return { rejectedDenied: seen.denied };
  return seen.length > 0 ? { rejected: seen } : {};
}
