import type { AddCommand } from './shared/arguments.ts';
import type { StageConnection } from './shared/connection.ts';
import { type Execution, runningOf } from './shared/executions.ts';
import { ofMany } from './shared/many-orders.ts';
import { type CommandResult, Refusal } from './shared/text.ts';

export const addAbort: AddCommand = (program, perform) =>
  ofMany(program, perform, {
    verb: 'abort',
    description: 'stop the execution that drives orders; a retry continues from there',
    all: 'all orders that an execution may drive',
    done: 'stopped',
    candidates: ['service', 'signatures', 'decision'],
    one: abort,
  });

/** The error of an execution that this command stopped. The order's record and `status.json` show it. */
export const ABORTED_BY_OPERATOR = 'AbortedByOperator';

/** Stops the running execution. The order at the service does not change. */
export async function abort({ record, executions }: StageConnection, orderRef: string): Promise<CommandResult> {
  const { order } = await record.details(orderRef);
  let running = runningOf(await executions.since(order));
  if (!running) {
    throw new Refusal(
      `No execution of order ${orderRef} is running (the order is ${order.status}): there is nothing to abort.`,
    );
  }
  await record.addToTimeline(orderRef, 'An operator asked to abort', { generation: running.generation });
  const stopped: Execution[] = [];
  // The execution may have handed the order over to the next one a moment ago.
  for (; running; running = runningOf(await executions.since(order, running.generation + 1))) {
    const cause = `An operator stopped execution ${running.name} with "loan-orders abort ${orderRef}". Nothing is lost: a retry continues.`;
    await executions.stop(running, ABORTED_BY_OPERATOR, cause);
    stopped.push(running);
  }
  const last = stopped.at(-1);
  return {
    lines: [
      `${stopped.map(({ name }) => `Execution ${name} was stopped.`).join(' ')} The order at the service is unchanged. A call that is under way may still ` +
        `reach the service; the ledger records it. Continue with "loan-orders retry ${orderRef}".`,
    ],
    json: { orderRef, generation: last?.generation, execution: last?.arn },
  };
}
