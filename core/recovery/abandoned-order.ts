import {
  DescribeExecutionCommand,
  ExecutionDoesNotExist,
  paginateListExecutions,
  SFNClient,
} from '@aws-sdk/client-sfn';
import { clientDefaults } from '../aws/aws-client.ts';
import { orderTable } from '../aws/order-table.ts';
import { BY_WAITING, type OrderItem, type WAITING_FACTS, type WaitingFor } from '../order/order-item.ts';
import { executionName } from '../order/order-record.ts';
import { stackSettings } from '../settings.ts';

/** Milliseconds. An execution that ended less than this ago may be about to be recorded in the usual way. */
const GRACE = 120_000;

/** What to do about an order that seems to have no running execution. */
export type Examined =
  /** An execution drives it, or has only just ended. */
  | { is: 'attended' }
  /** An execution ended, and its end was not recorded. */
  | { is: 'not recorded'; ended: NonNullable<Awaited<ReturnType<typeof findExecution>>> & { endedAt: number } }
  /** The execution of this generation must be started: the end of the last one is recorded, or it handed over, or there was none. */
  | { is: 'not started'; generation: number };

/** Asks Step Functions about the order's last execution: it may not have claimed the order yet, and so be missing in the record. */
export async function examine(order: DrivenOrder): Promise<Examined> {
  const { orderRef, generation, execution, failure } = order;
  let last = await findExecution(executionOf(order), generation);
  // Step Functions deletes an execution 90 days after its end. An order that no execution has claimed was never started.
  if (!last && execution === undefined) return { is: 'not started', generation };
  for (let next = generation + 1; ; next += 1) {
    const newer = await findExecution(executionArn(executionName(orderRef, next)), next);
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

/** The orders that wait for this, longest unchanged first. The list may be some seconds old. */
export const ordersWaitingFor = (whom: Exclude<WaitingFor, 'nobody'>): AsyncGenerator<DrivenOrder> =>
  orderTable.queryIndex<DrivenOrder>(BY_WAITING, 'openFor', whom);

const client = new SFNClient(clientDefaults);
/** Step Functions' maximum for one page. */
const PAGE_SIZE = 1_000;

/** The running order executions by ARN, and how often each was redriven. The list may be some seconds old. */
export async function runningExecutions(): Promise<Map<string, number>> {
  const search = { stateMachineArn: stackSettings.stateMachine, statusFilter: 'RUNNING' } as const;
  const running = new Map<string, number>();
  for await (const { executions = [] } of paginateListExecutions({ client, pageSize: PAGE_SIZE }, search))
    for (const { executionArn: arn = '', redriveCount = 0 } of executions) running.set(arn, redriveCount);
  return running;
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
async function findExecution(execution: string, generation: number) {
  try {
    const found = await client.send(new DescribeExecutionCommand({ executionArn: execution }));
    const { status = '', error, cause, stopDate, redriveCount: redrives = 0 } = found;
    return { execution, generation, redrives, status, error, cause, endedAt: stopDate?.getTime() };
  } catch (error) {
    if (error instanceof ExecutionDoesNotExist) return undefined;
    throw error;
  }
}
