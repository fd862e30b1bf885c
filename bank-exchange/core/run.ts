import { DescribeExecutionCommand, ExecutionDoesNotExist, SFNClient } from '@aws-sdk/client-sfn';
import { clientDefaults } from '../../core/aws/aws-client.ts';
import { Superseded } from '../../core/errors.ts';
import { EXCHANGE, exchangeTable } from './exchange-table.ts';

/** The kinds of runs that fetch, on a schedule each. Only one run of a kind is active at a time. */
export type FetchWork = 'fetch-requests' | 'fetch-inns';

/** The item `run#<work>` of the exchange. Times are ISO 8601 in UTC. */
export interface RunItem {
  kind: 'run';
  at: string;
  work: FetchWork;
  /** ARN of the execution that holds the active run. Absent if no run is active. */
  execution?: string;
  /** When the active run's first execution began. */
  startedAt?: string;
  /** The active run's last page that joined the page before it. */
  lastPage?: SeenPage;
  /** When the last complete run began. All requests created before it have been fetched. */
  watermark?: string;
  ended?: { execution: string; startedAt: string; endedAt: string };
}

/** The elements of a page. They show whether the next page joins it. */
export interface SeenPage {
  /** Number of the execution and of the page, `1.4`. It is the same in all repeats of the step. */
  page: string;
  /** IDs of the elements on the page. */
  seen: string[];
  /** IDs of the elements on the page before it, which a repeat of the step needs. */
  before?: string[];
}

const client = new SFNClient(clientDefaults);

const key = (work: FetchWork) => ({ subject: EXCHANGE, item: `run#${work}` });

export const findRun = async (work: FetchWork): Promise<RunItem | undefined> =>
  exchangeTable.getItem<RunItem>(key(work));

/**
 * Claims the run for this execution. If the execution that holds the run has ended, this one takes the run over.
 * @param from the execution that hands its run over to this one.
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
  // If the answer to the claim was lost, the SDK repeats it. The run is then this execution's already.
  const condition = holder === undefined ? 'attribute_not_exists(#execution)' : '#execution = :holder';
  const values = holder === undefined ? {} : { ':holder': holder };
  const claimed = await exchangeTable.updateItem(key(work), changes, `${condition} OR #execution = :execution`, values);
  return claimed ? findRun(work) : undefined;
}

/**
 * Changes the run if this execution holds it.
 * @throws Superseded if it does not.
 */
export async function changeRun(work: FetchWork, execution: string, changes: Partial<RunItem>): Promise<void> {
  const dated = { ...changes, at: new Date().toISOString() };
  if (await exchangeTable.updateItem(key(work), dated, 'execution = :mine', { ':mine': execution })) return;
  throw new Superseded('Another run is active, or an operator ended this run. This run stops. Nothing is lost.');
}

/** Ends a complete run: one write moves the watermark to its beginning and frees the run. */
export async function endRun(work: FetchWork, execution: string): Promise<void> {
  const run = await findRun(work);
  // If the run is recorded as ended, an earlier answer to this write was lost. Repeating it changes nothing.
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

/** Frees the run of an execution that ended without success. The watermark stays. Returns whether it held the run. */
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

/** The state that a run passes from step to step: references and counters, no data. */
export interface RunCursor {
  work: FetchWork;
  /** ARN of this execution, name of the run's first one, and the number of this one in the run: 1, 2, … */
  execution: string;
  name: string;
  part: number;
  /** The date of the oldest requests to fetch; empty for all requests. */
  creationDateFrom: string;
  /** Where the next page begins. */
  skip: number;
  /** Pages that this execution has read. */
  pages: number;
  /** Elements received in the whole run, those that were new or changed, and those that cannot be used. */
  received: number;
  kept: number;
  unusable: number;
  todo: 'fetch' | 'continue' | 'end' | 'leave';
}
