import { pauseFacts } from '../../commands/show/pause.ts';
import { orderView, timelineView } from '../../commands/show/views.ts';
import type { Execution } from '../../commands/stage/executions.ts';
import type { OrderDetails } from '../../commands/stage/record.ts';
import type { ExecutionFacts, OrderFacts } from '../api.ts';
import type { Desk } from './desk.ts';

/** How many executions before the present one are looked for. */
const EARLIER = 9;

/**
 * Everything that the console shows of an order.
 * @throws Refusal when there is no such order.
 */
export async function orderFacts(desk: Desk, orderRef: string): Promise<OrderFacts> {
  const { record, pauses } = desk.connection;
  const details = await record.details(orderRef);
  const [executions, pause] = await Promise.all([executionsOf(desk, details), pauses.find()]);
  return {
    ...orderView(details, executions),
    ...pauseFacts(details.order, pause),
    executions: executions.map((execution) => executionFacts(desk, execution)),
    timeline: details.timeline.map((entry) => timelineView(details, entry)),
  };
}

/** The order's executions, oldest first, as far back as they are looked for. */
export async function executionsOf({ connection }: Desk, { order }: OrderDetails): Promise<Execution[]> {
  const { orderRef, generation } = order;
  const first = Math.max(1, generation - EARLIER);
  const found = await connection.executions.since(orderRef, first);
  // Step Functions forgets an execution 90 days after its end, and the search ends where two are missing.
  return found.length > 0 || first === generation ? found : connection.executions.since(orderRef, generation);
}

function executionFacts({ place }: Desk, { arn, ...execution }: Execution): ExecutionFacts {
  const [, , , region = ''] = arn.split(':');
  const page = `https://${region}.console.aws.amazon.com/states/home?region=${region}#/v2/executions/details/${arn}`;
  return { ...execution, ...(!place.local && { address: page }) };
}
