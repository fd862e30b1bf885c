import { orderDefinition } from '../../statemachine/order-definition.ts';
import type { Workflow } from '../api.ts';

/** The state machine as a graph: its states, and which may follow which. States inside a Map belong to the Map. */
export function workflow(): Workflow {
  const { StartAt, States } = orderDefinition();
  const states = Object.entries(States).map(([name, { Type, ItemProcessor }]) => ({
    name,
    type: Type,
    ...(ItemProcessor && { each: Object.keys(ItemProcessor.States)[0] ?? '' }),
  }));
  const steps = Object.entries(States).flatMap(([from, { Next, Choices = [], Default, Catch = [] }]) => {
    const usual = new Set([Next, ...Choices.map((choice) => choice.Next), Default].filter((to) => to !== undefined));
    const failing = new Set(Catch.map((caught) => caught.Next).filter((to) => !usual.has(to)));
    const next = [...usual, ...failing];
    return next.map((to) => ({ from, to, isFailure: failing.has(to) }));
  });
  return { start: StartAt, states, steps };
}
