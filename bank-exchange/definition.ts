import { type StateMachineDefinition, withRetries } from '../statemachine/order-definition.ts';
import { policies as ofOrders, retrier, type TasksOf } from '../statemachine/retries.ts';
import exchange from './exchange.asl.json' with { type: 'json' };

/** The retry policies of the order workflow. `unavailable` retries for longer, because no sweep restarts runs after an outage. */
const policies = {
  ...ofOrders,
  unavailable: retrier(['ServiceUnavailable'], 2, 120, 8),
  /** For uploads, because unlike runs they have no schedule that starts them again. */
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

/** The deployed definition: `exchange.asl.json` with the retries of its Tasks. */
export const exchangeDefinition = (): StateMachineDefinition => withRetries(exchange, retries, policies);
