import { ExecutionAlreadyExists, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { environment } from '../environment.ts';
import { clientDefaults } from './aws-client.ts';

const client = new SFNClient(clientDefaults);

/** Starts an execution of this name. Starting it twice is one execution, ended or not. */
export async function startNamedExecution(stateMachineArn: string, name: string, input: object): Promise<void> {
  try {
    await client.send(new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify(input) }));
  } catch (error) {
    if (!(error instanceof ExecutionAlreadyExists)) throw error;
  }
}

/** Starts an order's execution of this number, `<orderRef>-<generation>`. Starting it twice is one execution, ended or not. */
export async function startExecution(orderRef: string, generation: number): Promise<void> {
  const stateMachineArn = environment('ORDER_STATE_MACHINE');
  await startNamedExecution(stateMachineArn, `${orderRef}-${generation}`, { orderRef, generation });
}
