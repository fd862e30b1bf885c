import type { OrderPlan } from '../plan/order-plan.ts';

/** A fault that is put into a copy of what is deployed, and orders that must show it. */
export interface Mutation {
  name: string;
  changes: readonly Change[];
  plans(): readonly OrderPlan[];
}

/** One text in one file, which has it once. */
export interface Change {
  /** From the root of the project. */
  file: string;
  text: string;
  instead: string;
}
