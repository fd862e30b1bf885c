import { ExecutionAlreadyExists, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { clientDefaults } from './aws-client.ts';
import { environment } from './environment.ts';

const client = new SFNClient(clientDefaults);

/** Starts an order's execution of this number, `<orderRef>-<generation>`. Starting it twice is one execution, ended or not. */
export async function startExecution(orderRef: string, generation: number): Promise<void> {
  const stateMachineArn = environment('ORDER_STATE_MACHINE');
  const input = JSON.stringify({ orderRef, generation });
  try {
    await client.send(new StartExecutionCommand({ stateMachineArn, name: `${orderRef}-${generation}`, input }));
  } catch (error) {
    if (!(error instanceof ExecutionAlreadyExists)) throw error;
  }
}
