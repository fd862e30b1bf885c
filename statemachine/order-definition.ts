import order from './order.asl.json' with { type: 'json' };
import { policies, type Retrier, retries } from './retries.ts';

/** The parts of a state machine definition (Amazon States Language) that our code reads. */
export interface StateMachineDefinition {
  StartAt: string;
  States: Record<string, State>;
}

export interface State {
  Type: string;
  Resource?: string;
  TimeoutSeconds?: number;
  Retry?: Partial<Retrier>[];
  Next?: string;
  Choices?: { Next: string }[];
  Default?: string;
  Catch?: { Next: string }[];
  ItemProcessor?: StateMachineDefinition;
}

/** The definition that is deployed: `order.asl.json` with the retries of its Tasks. A caller may change its copy. */
export function orderDefinition(): StateMachineDefinition {
  return withRetries(structuredClone(order));
}

function withRetries<Machine extends StateMachineDefinition>(machine: Machine): Machine {
  const states = Object.entries(machine.States).map(([name, state]) => [name, stateWithRetries(name, state)]);
  return { ...machine, States: Object.fromEntries(states) };
}

/** @throws Error for a Task without an entry in the table. */
function stateWithRetries(name: string, state: State): State {
  if (state.ItemProcessor) return { ...state, ItemProcessor: withRetries(state.ItemProcessor) };
  if (state.Type !== 'Task') return state;
  const names = (retries as Partial<Record<string, (typeof retries)['Read order']>>)[name];
  if (!names) throw new Error(`statemachine/retries.ts does not say which errors the Task "${name}" retries.`);
  return { ...state, Retry: names.map((policy) => structuredClone(policies[policy])) };
}
