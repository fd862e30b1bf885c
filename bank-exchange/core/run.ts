import { DescribeExecutionCommand, ExecutionDoesNotExist, SFNClient } from '@aws-sdk/client-sfn';
import { clientDefaults } from '../../core/aws/aws-client.ts';
import { Superseded } from '../../core/errors.ts';
import { EXCHANGE, exchangeTable } from './exchange-table.ts';

/** The kinds of runs. Each has its schedule. Only one run of a kind is active at a time. */
export type FetchWork = 'fetch-requests' | 'fetch-inns';

/** The item `run#<work>` of the exchange. Times are ISO 8601 in UTC. */
export interface RunItem {
  kind: 'run';
  at: string;
  work: FetchWork;
  /** ARN of the execution that has claimed the active run. Absent if no run is active. */
  execution?: string;
  startedAt?: string;
  /** The active run's last page that joined the previous one. */
  lastPage?: SeenPage;
  /** When the last complete run began. All requests created before it have been fetched. */
  watermark?: string;
  ended?: { execution: string; startedAt: string; endedAt: string };
}

/** The elements of a page. They show whether the next page joins it. */
export interface SeenPage {
  /** Number of the execution and of the page, such as `1.4`. Retries of the step have the same number. */
  page: string;
  seen: string[];
  /** IDs of the elements on the previous page, for retries of the step. */
  before?: string[];
}

const client = new SFNClient(clientDefaults);

const key = (work: FetchWork) => ({ subject: EXCHANGE, item: `run#${work}` });

export const findRun = async (work: FetchWork): Promise<RunItem | undefined> =>
  exchangeTable.getItem<RunItem>(key(work));

/**
 * Claims the run for this execution. Takes over a run whose execution has ended.
 * @param from the execution that this one continues.
 * @returns the run; undefined if another run is active.
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
  // If the response to the claim was lost, the SDK retries. This execution then has the run already.
  const condition = holder === undefined ? 'attribute_not_exists(#execution)' : '#execution = :holder';
  const values = holder === undefined ? {} : { ':holder': holder };
  const claimed = await exchangeTable.updateItem(key(work), changes, `${condition} OR #execution = :execution`, values);
  return claimed ? findRun(work) : undefined;
}

/**
 * Changes the run.
 * @throws Superseded if this execution no longer has the run.
 */
export async function changeRun(work: FetchWork, execution: string, changes: Partial<RunItem>): Promise<void> {
  const dated = { ...changes, at: new Date().toISOString() };
  if (await exchangeTable.updateItem(key(work), dated, 'execution = :mine', { ':mine': execution })) return;
  throw new Superseded('Another run is active, or an operator ended this run. This run stops. Nothing is lost.');
}

/** Ends a complete run. One write moves the watermark to the run's start and releases the run. */
export async function endRun(work: FetchWork, execution: string): Promise<void> {
  const run = await findRun(work);
  // The run is already recorded as ended: an earlier attempt succeeded.
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
  throw new Superseded('Another run took this run over before its end. This run stops. The watermark was not moved.');
}

/** Releases the run of an execution that ended without success. The watermark stays. Returns whether the execution had the run. */
export async function releaseRun(work: FetchWork, execution: string): Promise<boolean> {
  const changes = { execution: undefined, startedAt: undefined, lastPage: undefined, at: new Date().toISOString() };
  return exchangeTable.updateItem(key(work), changes, '#execution = :mine', { ':mine': execution });
}

async function isRunning(executionArn: string): Promise<boolean> {
  try {
    const { status } = await client.send(new DescribeExecutionCommand({ executionArn }));
    return status === 'RUNNING' || status === 'PENDING_REDRIVE';
  } catch (error) {
    // Step Functions deletes executions 90 days after their end.
    if (error instanceof ExecutionDoesNotExist) return false;
    throw error;
  }
}

/** The state that is passed from step to step: references and counters, no data. */
export interface RunCursor {
  work: FetchWork;
  /** ARN of this execution, name of the run's first execution, and number of this one in the run: 1, 2, … */
  execution: string;
  name: string;
  part: number;
  /** Only requests from this date on are fetched. Empty for all requests. */
  creationDateFrom: string;
  skip: number;
  pages: number;
  /** Counts of the whole run: elements received, new or changed ones, and unusable ones. */
  received: number;
  kept: number;
  unusable: number;
  todo: 'fetch' | 'continue' | 'end' | 'leave';
}
