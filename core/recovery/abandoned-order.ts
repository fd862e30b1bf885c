import { DescribeExecutionCommand, ExecutionDoesNotExist, ListExecutionsCommand, SFNClient } from '@aws-sdk/client-sfn';
import { clientDefaults } from '../aws/aws-client.ts';
import { orderTable } from '../aws/order-table.ts';
import { BY_WAITING, type OrderItem, type WAITING_FACTS, type WaitingFor } from '../order/order-item.ts';
import { executionName } from '../order/order-record.ts';
import { stackSettings } from '../settings.ts';
import type { Running } from './running-list.ts';

/** Milliseconds. An execution that ended less than this ago may be about to be recorded in the usual way. */
const GRACE = 120_000;

/** What to do about an order that seems to have no running execution. */
export type Examined =
  /** An execution drives it, or has only just ended. */
  | { is: 'attended' }
  /** A person has redriven its execution after the recorded failure. */
  | { is: 'redriven'; redrives: number }
  /** An execution ended, and its end was not recorded. */
  | { is: 'not recorded'; ended: NonNullable<Awaited<ReturnType<typeof findExecution>>> & { endedAt: number } }
  /** The execution of this generation must be started: the end of the last one is recorded, or it handed over, or there was none. */
  | { is: 'not started'; generation: number };

/**
 * Whether Step Functions must be asked about the order: no execution seems to drive it, its next try after an outage has come, or its
 * execution runs again after a failure.
 * @param running absent while it is not known which executions run.
 */
export function isSuspect(order: DrivenOrder, running: Running | undefined): boolean {
  if (order.failure) return isStartDue(order) || (running?.has(executionOf(order)) ?? false);
  const isKnown = running !== undefined && order.changedAt < running.since;
  return isKnown && isStartDue(order) && !running.has(executionOf(order));
}

/** Whether the order may be started if no execution drives it. */
export const isStartDue = ({ waitingFor, failure, resume }: DrivenOrder): boolean =>
  waitingFor !== 'operator' && waitingFor !== 'nobody' && !(failure && resume && Date.parse(resume.at) > Date.now());

/**
 * Asks Step Functions about the order's last execution: it may not have claimed the order yet, and so be missing in the record.
 * @param find asks about one execution.
 */
export async function examine(order: DrivenOrder, find = findExecution): Promise<Examined> {
  const { orderRef, generation, execution, failure } = order;
  let last = await find(executionOf(order), generation);
  if (last?.status === 'RUNNING') {
    const { redrives } = last;
    return failure && redrives > 0 ? { is: 'redriven', redrives } : { is: 'attended' };
  }
  // Step Functions deletes an execution 90 days after its end. An order that no execution has claimed was never started.
  if (!last && execution === undefined) return { is: 'not started', generation };
  for (let next = generation + 1; ; next += 1) {
    const newer = await find(executionArn(executionName(orderRef, next)), next);
    if (!newer) break;
    last = newer;
  }
  // A person has redriven it, and Step Functions has no room for it yet.
  if (last?.status === 'PENDING_REDRIVE') return { is: 'attended' };
  if (last?.endedAt === undefined) return last ? { is: 'attended' } : { is: 'not started', generation: generation + 1 };
  if (last.endedAt > Date.now() - GRACE) return { is: 'attended' };
  const isRecorded = failure !== undefined && last.generation === generation;
  // One that succeeded handed over to an execution that was never started. One that was refused because of its name did nothing.
  const isRefused = last.generation > generation && last.error === 'Superseded';
  if (isRecorded || isRefused || last.status === 'SUCCEEDED')
    return { is: 'not started', generation: last.generation + 1 };
  return { is: 'not recorded', ended: { ...last, endedAt: last.endedAt } };
}

export type DrivenOrder = Pick<OrderItem, 'orderRef' | 'changedAt' | (typeof WAITING_FACTS)[number]>;

/**
 * The orders that wait for this, longest unchanged first. The list may be some seconds old.
 * @param after the last one that was seen.
 */
export function ordersWaitingFor(
  whom: Exclude<WaitingFor, 'nobody'>,
  after?: Pick<DrivenOrder, 'orderRef' | 'changedAt'>,
): AsyncGenerator<DrivenOrder> {
  const key = after && { orderRef: after.orderRef, item: 'order', openFor: whom, changedAt: after.changedAt };
  return orderTable.queryIndex<DrivenOrder>(BY_WAITING, 'openFor', whom, undefined, key);
}

const client = new SFNClient(clientDefaults);
/** Step Functions' maximum for one page. */
const PAGE_SIZE = 1_000;

/** A page of the ARNs of running order executions. It may be some seconds old. */
export async function runningPage(nextToken?: string): Promise<{ executions: string[]; next?: string | undefined }> {
  const { stateMachine: stateMachineArn } = stackSettings;
  const search = { stateMachineArn, statusFilter: 'RUNNING', maxResults: PAGE_SIZE, nextToken } as const;
  const { executions = [], nextToken: next } = await client.send(new ListExecutionsCommand(search));
  return { executions: executions.map(({ executionArn = '' }) => executionArn), next };
}

/** The ARN of the execution that drives the order, or is to claim it. */
export const executionOf = ({ orderRef, generation, execution }: DrivenOrder): string =>
  execution ?? executionArn(executionName(orderRef, generation));

const executionArn = (name: string): string =>
  `${stackSettings.stateMachine.replace(':stateMachine:', ':execution:')}:${name}`;

/**
 * An execution of the order; undefined if it was never started, or if Step Functions has deleted it. `endedAt`: milliseconds since the epoch;
 * undefined while it runs.
 */
export async function findExecution(execution: string, generation: number) {
  try {
    const found = await client.send(new DescribeExecutionCommand({ executionArn: execution }));
    const { status = '', error, cause, stopDate, redriveCount: redrives = 0 } = found;
    return { execution, generation, redrives, status, error, cause, endedAt: stopDate?.getTime() };
  } catch (error) {
    if (error instanceof ExecutionDoesNotExist) return undefined;
    throw error;
  }
}
