import { type StateMachineDefinition, withRetries } from '../statemachine/order-definition.ts';
import { policies as ofOrders, retrier, type TasksOf } from '../statemachine/retries.ts';
import exchange from './exchange.asl.json' with { type: 'json' };

/** The policies of an order's Tasks. No sweep starts a run again after an outage, so `unavailable` retries for longer. */
const policies = {
  ...ofOrders,
  unavailable: retrier(['ServiceUnavailable'], 2, 120, 8),
  /** The schedule starts the next run, but nobody starts an upload again. */
  'throttled for a day': retrier(['Throttled'], 5, 3_600, 60),
};

const retries: Record<TasksOf<typeof exchange.States>, readonly (keyof typeof policies)[]> = {
  'Begin run': ['not run or ended', 'unavailable', 'throttled'],
  'Fetch requests': ['not run or ended', 'unavailable', 'throttled'],
  'Fetch tax numbers': ['not run or ended', 'unavailable', 'throttled'],
  'End run': ['not run or ended', 'unavailable', 'throttled'],
  'Continue in a new execution': ['started before', 'not started'],
  'Send status': ['not run or ended', 'unavailable or unknown', 'throttled for a day'],
  'Return offers': ['not run or ended', 'unavailable', 'throttled for a day'],
};

/** The definition that is deployed: `exchange.asl.json` with the retries of its Tasks. */
export const exchangeDefinition = (): StateMachineDefinition => withRetries(exchange, retries, policies);
