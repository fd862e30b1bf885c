import { ExecutionAlreadyExists, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { stackSettings } from '../settings.ts';
import { clientDefaults } from './aws-client.ts';

const client = new SFNClient(clientDefaults);

/** Starts an execution with this name. If it was started before, does nothing, even if it has ended. */
export async function startNamedExecution(stateMachineArn: string, name: string, input: object): Promise<void> {
  try {
    await client.send(new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify(input) }));
  } catch (error) {
    if (!(error instanceof ExecutionAlreadyExists)) throw error;
  }
}

/** Starts the order's execution `<orderRef>-<generation>`, once: see {@link startNamedExecution}. */
export async function startExecution(orderRef: string, generation: number, input: object = {}): Promise<void> {
  const stateMachineArn = stackSettings.stateMachine;
  await startNamedExecution(stateMachineArn, `${orderRef}-${generation}`, { orderRef, generation, ...input });
}
