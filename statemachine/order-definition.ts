import order from './order.asl.json' with { type: 'json' };
import { policies, type Retrier, retries } from './retries.ts';

/** The parts of a state machine definition (Amazon States Language) that our code reads. */
export interface StateMachineDefinition {
  StartAt: string;
  States: Record<string, StateDefinition>;
}

export interface StateDefinition {
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
  return withRetries(order, retries, policies);
}

/**
 * A copy of the machine in which each Task has the retriers of its policies.
 * @throws Error for a Task that the table does not name.
 */
export function withRetries<Policy extends string>(
  machine: StateMachineDefinition,
  table: Readonly<Record<string, readonly Policy[]>>,
  retriers: Readonly<Record<Policy, Retrier>>,
): StateMachineDefinition {
  const complete = (name: string, state: StateDefinition): StateDefinition => {
    if (state.ItemProcessor) return { ...state, ItemProcessor: withRetries(state.ItemProcessor, table, retriers) };
    if (state.Type !== 'Task') return state;
    const names = table[name];
    if (!names) throw new Error(`The table of retries does not name the Task "${name}".`);
    return { ...state, Retry: names.map((policy) => retriers[policy]) };
  };
  const { States, ...flow } = machine;
  const states = Object.entries(States).map(([name, state]) => [name, complete(name, state)]);
  return structuredClone({ ...flow, States: Object.fromEntries(states) });
}
