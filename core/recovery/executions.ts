import { DescribeExecutionCommand, ExecutionDoesNotExist, ListExecutionsCommand, SFNClient } from '@aws-sdk/client-sfn';
import { clientDefaults } from '../aws/aws-client.ts';
import { stackSettings } from '../settings.ts';

const client = new SFNClient(clientDefaults);
/** Step Functions' maximum for one page. */
const PAGE_SIZE = 1_000;

/** An execution as Step Functions describes it. */
export interface KnownExecution {
  execution: string;
  generation: number;
  status: string;
  error: string | undefined;
  cause: string | undefined;
  /** Milliseconds since the epoch; undefined while it runs. */
  endedAt: number | undefined;
}

/** The names of the order executions that run, as they were up to some seconds ago. */
export async function runningExecutions(): Promise<Set<string>> {
  const stateMachineArn = stackSettings.stateMachine;
  const names = new Set<string>();
  let nextToken: string | undefined;
  do {
    const page = await client.send(
      new ListExecutionsCommand({ stateMachineArn, statusFilter: 'RUNNING', maxResults: PAGE_SIZE, nextToken }),
    );
    for (const { name } of page.executions ?? []) if (name) names.add(name);
    nextToken = page.nextToken;
  } while (nextToken);
  return names;
}

/** The order's execution of this generation; undefined if it was never started, or if Step Functions has deleted it. */
export async function findExecution(orderRef: string, generation: number): Promise<KnownExecution | undefined> {
  const machine = stackSettings.stateMachine.replace(':stateMachine:', ':execution:');
  const execution = `${machine}:${orderRef}-${generation}`;
  try {
    const {
      status = '',
      error,
      cause,
      stopDate,
    } = await client.send(new DescribeExecutionCommand({ executionArn: execution }));
    return { execution, generation, status, error, cause, endedAt: stopDate?.getTime() };
  } catch (error) {
    if (error instanceof ExecutionDoesNotExist) return undefined;
    throw error;
  }
}
