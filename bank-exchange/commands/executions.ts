import type { ExecutionStatus, SFNClient } from '@aws-sdk/client-sfn';
import { executionArnOf, findExecution, startExecution } from '../../commands/stage/executions.ts';

export class ExchangeExecutions {
  readonly #client: SFNClient;
  readonly #stateMachineArn: string;

  constructor(client: SFNClient, stateMachineArn: string) {
    this.#client = client;
    this.#stateMachineArn = stateMachineArn;
  }

  /**
   * Starts an execution and returns its ARN. Without a name, Step Functions chooses one.
   * @throws Refusal when the name was taken meanwhile.
   */
  async start(input: Record<string, string>, name?: string): Promise<string> {
    const start = { stateMachineArn: this.#stateMachineArn, input: JSON.stringify(input), name };
    return startExecution(this.#client, start);
  }

  /** The first free name of `<name>`, `<name>-2`, `<name>-3`, …, and the execution that has the name before it. */
  async next(name: string): Promise<{ free: string; last: { name: string; status: ExecutionStatus } | undefined }> {
    let last: { name: string; status: ExecutionStatus } | undefined;
    for (let count = 1; ; count += 1) {
      const candidate = count === 1 ? name : `${name}-${count}`;
      const { status } = (await findExecution(this.#client, executionArnOf(this.#stateMachineArn, candidate))) ?? {};
      if (status === undefined) return { free: candidate, last };
      last = { name: candidate, status };
    }
  }
}
