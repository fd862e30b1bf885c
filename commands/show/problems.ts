import type { Connection } from '../shared/connection.ts';
import { noOrder } from '../shared/record.ts';
import { type SeenWords, seenWords, wordsFacts, wordsSection } from '../shared/service-words.ts';
import { type Answer, plainIndented } from '../shared/text.ts';
import { orderView } from '../shared/views.ts';
import { failureSection } from '../show.ts';

/** `show <orderRef> --problems`: only what is wrong, but all of it. */
export async function showProblems(connection: Connection, orderRef: string): Promise<Answer> {
  const { record, executions, buckets } = connection;
  const staging = await buckets();
  const details = await record.findDetails(orderRef);
  const uploads = await (await connection.rejected()).inFolder(orderRef);
  const rejected = uploads.map(({ key, why }) => ({ key: plainIndented(key), problems: why }));
  if (!details && rejected.length === 0) throw noOrder(orderRef);
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
