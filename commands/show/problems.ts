import type { RejectedUpload } from '../../core/people/rejected-upload.ts';
import { problemText } from '../package/rejection-text.ts';
import { failureSection } from '../show.ts';
import type { Connection } from '../stage/connection.ts';
import { noOrder } from '../stage/record.ts';
import { type Answer, plainIndented } from '../text.ts';
import { type SeenWords, seenWords, wordsFacts, wordsSection } from './service-words.ts';
import { orderView } from './views.ts';

interface FileProblems {
  key: string;
  problems: string[];
}

/** `show <orderRef> --problems`: only what is wrong, but all of it. */
export async function showProblems(connection: Connection, orderRef: string): Promise<Answer> {
  const { record, executions, buckets } = connection;
  const staging = await buckets();
  const details = await record.findDetails(orderRef);
  const rejected = await rejectedFiles(connection, orderRef);
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

async function rejectedFiles({ buckets, rejected }: Connection, orderRef: string): Promise<FileProblems[]> {
  const staging = await buckets();
  const found: FileProblems[] = [];
  for (const { key, answer } of await (await rejected()).inFolder(orderRef)) {
    const { problems = [] } = (await staging.stagedAt<RejectedUpload>(answer)) ?? {};
    found.push({ key: plainIndented(key), problems: problems.map(problemText) });
  }
  return found;
}
