import type { ExecutionStatus, SFNClient, StartExecutionInput } from '@aws-sdk/client-sfn';
import type { OrderItem } from '../../core/order/order-item.ts';
import { ignoring } from './failure.ts';
import { Refusal } from './text.ts';

/** An execution of an order. Times are ISO 8601 in UTC. */
export interface Execution {
  name: string;
  generation: number;
  arn: string;
  status: ExecutionStatus;
  startedAt: string | undefined;
  endedAt: string | undefined;
}

type Driven = Pick<OrderItem, 'orderRef' | 'generation' | 'execution'>;

/** The executions of a stage's orders. Their names are `<orderRef>-<generation>`, unless a person has started them in the AWS console. */
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
   * an execution 90 days after its end, and lacks earlier ones that a person has started in the AWS console.
   */
  async since(order: Driven, generation = order.generation): Promise<Execution[]> {
    const found: Execution[] = [];
    for (let next = generation; ; next += 1) {
      const recorded = next === order.generation ? order.execution : undefined;
      const arn = recorded ?? executionArnOf(this.#stateMachineArn, `${order.orderRef}-${next}`);
      const execution = await describedAs(this.#client, arn, next);
      if (execution) found.push(execution);
      else if (next > Math.max(generation, order.generation)) return found;
    }
  }

  /** Starts the order's execution for a generation. Throws a Refusal when that generation was started meanwhile. */
  async start(orderRef: string, generation: number): Promise<Pick<Execution, 'name' | 'arn'>> {
    const name = `${orderRef}-${generation}`;
    const input = JSON.stringify({ orderRef, generation });
    const look = ` Look at it with "loan-orders show ${orderRef}".`;
    await startNextExecution(this.#client, { stateMachineArn: this.#stateMachineArn, name, input }, look);
    return { name, arn: executionArnOf(this.#stateMachineArn, name) };
  }

  /** Stops an execution: it ends as ABORTED with this error and cause. */
  async stop({ arn: executionArn }: Execution, error: string, cause: string): Promise<void> {
    const { StopExecutionCommand } = await import('@aws-sdk/client-sfn');
    await this.#client.send(new StopExecutionCommand({ executionArn, error, cause }));
  }
}

async function describedAs(client: SFNClient, arn: string, generation: number): Promise<Execution | undefined> {
  const { DescribeExecutionCommand } = await import('@aws-sdk/client-sfn');
  const isGone = ({ name }: Error) => name === 'ExecutionDoesNotExist';
  const found = await client.send(new DescribeExecutionCommand({ executionArn: arn })).catch(ignoring(isGone));
  if (!found) return undefined;
  const [startedAt, endedAt] = [found.startDate?.toISOString(), found.stopDate?.toISOString()];
  const status = found.status ?? 'RUNNING';
  return { name: arn.slice(arn.lastIndexOf(':') + 1), generation, arn, status, startedAt, endedAt };
}

const executionArnOf = (stateMachineArn: string, name: string) =>
  `${stateMachineArn.replace(':stateMachine:', ':execution:')}:${name}`;

/** Starts an execution and returns its ARN. Throws a Refusal, which ends with `look`, when the name is already in use. */
export async function startNextExecution(client: SFNClient, start: StartExecutionInput, look = ''): Promise<string> {
  const { StartExecutionCommand } = await import('@aws-sdk/client-sfn');
  const { executionArn = '' } = await client.send(new StartExecutionCommand(start)).catch((error: Error) => {
    if (error.name !== 'ExecutionAlreadyExists') throw error;
    const taken = `Somebody else started execution ${start.name} at the same moment: this command started nothing.`;
    throw new Refusal(taken + look);
  });
  return executionArn;
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

export function runningOf(executions: Execution[]): Execution | undefined {
  return executions.findLast(({ status }) => status === 'RUNNING' || status === 'PENDING_REDRIVE');
}
