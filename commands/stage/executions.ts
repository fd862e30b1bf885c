import {
  DescribeExecutionCommand,
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  type ExecutionStatus,
  type HistoryEvent,
  paginateGetExecutionHistory,
  type SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import { Refusal } from '../refusal.ts';

/** An execution of an order. Times are ISO 8601 in UTC. */
export interface Execution {
  name: string;
  generation: number;
  arn: string;
  status: ExecutionStatus;
  startedAt: string | undefined;
  endedAt: string | undefined;
}

/** The executions of a stage's orders. Their names are `<orderRef>-<generation>`. */
export class Executions {
  readonly #client: SFNClient;
  readonly #stateMachineArn: string;

  constructor(client: SFNClient, stateMachineArn: string) {
    this.#client = client;
    this.#stateMachineArn = stateMachineArn;
  }

  /**
   * The executions of an order from `generation` on, oldest first. Some may be missing from the record: those that have just
   * started, and those that failed before they claimed the order. The list may be empty, because Step Functions deletes
   * an execution 90 days after its end.
   */
  async since(orderRef: string, generation: number): Promise<Execution[]> {
    const found: Execution[] = [];
    for (let next = generation; ; next += 1) {
      const execution = await this.#find(orderRef, next);
      if (execution) found.push(execution);
      else if (next > generation) return found;
    }
  }

  /** The events of an execution after `lastId`, oldest first, without data. */
  async eventsAfter({ arn: executionArn }: Execution, lastId: number): Promise<HistoryEvent[]> {
    const found: HistoryEvent[] = [];
    // Newest first, so that of a long execution only the new events are read.
    const search = { executionArn, reverseOrder: true, includeExecutionData: false };
    for await (const { events = [] } of paginateGetExecutionHistory({ client: this.#client, pageSize: 1000 }, search)) {
      const after = events.filter(({ id = 0 }) => id > lastId);
      found.push(...after);
      if (after.length < events.length) break;
    }
    return found.reverse();
  }

  /**
   * Starts the order's execution for a generation.
   * @throws Refusal when that generation was taken meanwhile.
   */
  async start(orderRef: string, generation: number): Promise<Pick<Execution, 'name' | 'arn'>> {
    const name = `${orderRef}-${generation}`;
    const input = JSON.stringify({ orderRef, generation });
    try {
      await this.#client.send(new StartExecutionCommand({ stateMachineArn: this.#stateMachineArn, name, input }));
    } catch (error) {
      if (!(error instanceof ExecutionAlreadyExists)) throw error;
      throw new Refusal(
        `Somebody else started execution ${name} at the same moment: this command started nothing. ` +
          `Look at it with "loan-orders show ${orderRef}".`,
      );
    }
    return { name, arn: this.#arn(orderRef, generation) };
  }

  /** Stops an execution: it ends as ABORTED with this error and cause. */
  async stop({ arn: executionArn }: Execution, error: string, cause: string): Promise<void> {
    await this.#client.send(new StopExecutionCommand({ executionArn, error, cause }));
  }

  async #find(orderRef: string, generation: number): Promise<Execution | undefined> {
    const arn = this.#arn(orderRef, generation);
    try {
      const described = await this.#client.send(new DescribeExecutionCommand({ executionArn: arn }));
      const [startedAt, endedAt] = [described.startDate?.toISOString(), described.stopDate?.toISOString()];
      const status = described.status ?? 'RUNNING';
      return { name: `${orderRef}-${generation}`, generation, arn, status, startedAt, endedAt };
    } catch (error) {
      if (error instanceof ExecutionDoesNotExist) return undefined;
      throw error;
    }
  }

  #arn(orderRef: string, generation: number): string {
    return `${this.#stateMachineArn.replace(':stateMachine:', ':execution:')}:${orderRef}-${generation}`;
  }
}

/** @throws Refusal when an execution of the order runs. `nothing` says what was not done. */
export function refuseRunning(executions: Execution[], orderRef: string, nothing: string): void {
  const running = runningOf(executions);
  if (!running) return;
  throw new Refusal(
    `Execution ${running.name} of order ${orderRef} is running: nothing was ${nothing}. Wait until it ends, or stop it with ` +
      `"loan-orders abort ${orderRef}".`,
  );
}

/** The running execution, if any. */
export function runningOf(executions: Execution[]): Execution | undefined {
  return executions.findLast(({ status }) => status === 'RUNNING' || status === 'PENDING_REDRIVE');
}
