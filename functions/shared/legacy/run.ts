import { DescribeExecutionCommand, ExecutionDoesNotExist, SFNClient } from '@aws-sdk/client-sfn';
import { clientDefaults } from '../aws/aws-client.ts';
import { Superseded } from '../errors.ts';
import { EXCHANGE, exchangeTable } from './exchange-table.ts';

/** What is fetched at the stage's rate. Each has its own runs, of which only one is at work at a time. */
export type FetchWork = 'fetch-requests' | 'fetch-inns';

/** The item `run#<work>` of the exchange. Times are ISO 8601 in UTC. */
export interface RunItem {
  kind: 'run';
  at: string;
  work: FetchWork;
  /** ARN of the execution that is at work; absent while none is. */
  execution?: string;
  /** When the run at work began, in its first execution. */
  startedAt?: string;
  /** The last page of the run at work that joined the one before it. */
  lastPage?: SeenPage;
  /** Everything created before this has been fetched: the beginning of the last whole run. */
  watermark?: string;
  /** The last whole run. */
  ended?: { execution: string; startedAt: string; endedAt: string };
}

/** What was on a page, by identity, to see whether the next one joins it. */
export interface SeenPage {
  /** Which page of the run this is, the same in all repeats of its step: execution and page, `1.4`. */
  page: string;
  seen: string[];
  /** What was on the page before it: for a repeat of this very page. */
  before?: string[];
}

const client = new SFNClient(clientDefaults);

const key = (work: FetchWork) => ({ subject: EXCHANGE, item: `run#${work}` });

export async function findRun(work: FetchWork): Promise<RunItem | undefined> {
  return exchangeTable.getItem<RunItem>(key(work));
}

/**
 * Makes this execution the one that is at work. A run lives exactly as long as its execution: what an execution that has ended left
 * behind is taken over.
 * @param from the execution that hands its run over to this one.
 * @returns the run; undefined when another one is at work.
 */
export async function claimRun(work: FetchWork, execution: string, from?: string): Promise<RunItem | undefined> {
  const holder = (await findRun(work))?.execution;
  if (holder === execution) return findRun(work);
  const handedOver = from !== undefined && holder === from;
  if (from !== undefined && !handedOver) return undefined;
  if (holder !== undefined && !handedOver && (await isRunning(holder))) return undefined;
  const at = new Date().toISOString();
  const begun = handedOver ? {} : { startedAt: at, lastPage: undefined };
  const changes = { kind: 'run', at, work, execution, ...begun };
  // Its own claim, whose answer was lost, is made again by the SDK.
  const condition = holder === undefined ? 'attribute_not_exists(#execution)' : '#execution = :holder';
  const values = holder === undefined ? {} : { ':holder': holder };
  const claimed = await exchangeTable.updateItem(key(work), changes, `${condition} OR #execution = :execution`, values);
  return claimed ? findRun(work) : undefined;
}

/**
 * Changes the run as long as this execution is at work.
 * @throws Superseded when another one is.
 */
export async function changeRun(work: FetchWork, execution: string, changes: Partial<RunItem>): Promise<void> {
  const dated = { ...changes, at: new Date().toISOString() };
  if (await exchangeTable.updateItem(key(work), dated, 'execution = :mine', { ':mine': execution })) return;
  throw new Superseded('Another run is at work, or an operator ended this one. It stops; nothing is lost.');
}

/** The whole run came through: in one write the watermark moves to its beginning, and the next run may begin. */
export async function endRun(work: FetchWork, execution: string): Promise<void> {
  const run = await findRun(work);
  // The answer to this very write may have been lost.
  if (run?.execution !== execution && run?.ended?.execution === execution) return;
  const at = new Date().toISOString();
  const startedAt = run?.startedAt ?? at;
  const ended = { execution, startedAt, endedAt: at };
  const changes = { at, ended, execution: undefined, startedAt: undefined, lastPage: undefined };
  const watermark = work === 'fetch-requests' ? { watermark: startedAt } : {};
  const condition = '#execution = :mine';
  if (await exchangeTable.updateItem(key(work), { ...changes, ...watermark }, condition, { ':mine': execution }))
    return;
  if ((await findRun(work))?.ended?.execution === execution) return;
  throw new Superseded('Another run took this one over before its end. It stops; the watermark was not moved.');
}

/** The execution ended without success: the next run need not ask whether it is still at work. The watermark stays. */
export async function releaseRun(work: FetchWork, execution: string): Promise<boolean> {
  const changes = { execution: undefined, startedAt: undefined, lastPage: undefined, at: new Date().toISOString() };
  return exchangeTable.updateItem(key(work), changes, '#execution = :mine', { ':mine': execution });
}

async function isRunning(executionArn: string): Promise<boolean> {
  try {
    const { status } = await client.send(new DescribeExecutionCommand({ executionArn }));
    return status === 'RUNNING' || status === 'PENDING_REDRIVE';
  } catch (error) {
    // Step Functions forgets executions 90 days after their end.
    if (error instanceof ExecutionDoesNotExist) return false;
    throw error;
  }
}
