import type { OrderPlan } from '../plan/order-plan.ts';

/** A change that breaks a copy of the deployed code, and orders that must show it. */
export interface Mutation {
  name: string;
  /** Each replaces a text that occurs once in a file of `core/` or `functions/`. */
  changes: readonly { file: string; text: string; instead: string }[];
  plans: readonly OrderPlan[];
  /** Only clocks that differ show it: with right clocks the same orders have no violation. */
  needsWrongClocks?: true;
}

export const mutation = (
  name: string,
  plans: Mutation['plans'],
  file: string,
  text: string,
  instead: string,
): Mutation => ({ name, plans, changes: [{ file, text, instead }] });
