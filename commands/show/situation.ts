import { isCreationUnknown } from '../stage/creation.ts';
import { type Execution, runningOf } from '../stage/executions.ts';
import type { OrderDetails } from '../stage/record.ts';
import { nextTryOf } from './facts.ts';

/** What stands between an order and its end. Each one asks for another step of people. */
export type Situation =
  /** An execution drives the order. */
  | 'running'
  | 'dismissed'
  /** Nobody knows whether the service has the order. */
  | 'creation unknown'
  | 'over'
  /** An outage stopped the order; it goes on by itself. */
  | 'outage'
  /** No execution drives the order. */
  | 'stopped';

export function situationOf(details: OrderDetails, executions: Execution[]): Situation {
  const { waitingFor, dismissed } = details.order;
  if (runningOf(executions)) return 'running';
  if (dismissed) return 'dismissed';
  if (isCreationUnknown(details)) return 'creation unknown';
  if (waitingFor === 'nobody') return 'over';
  return nextTryOf(details.order) ? 'outage' : 'stopped';
}
