import type { OrderPlan } from '../plan/order-plan.ts';
import type { Profile } from '../world/profiles.ts';

/** A change that breaks a copy of the deployed code, and orders that must show it. */
export interface Mutation {
  name: string;
  changes: readonly Change[];
  /** The order service that the orders meet. Default: `default`. */
  profile?: Profile;
  plans(): readonly OrderPlan[];
  /** Only clocks that differ show it: with right clocks the same orders have no violation. */
  needsWrongClocks?: true;
}

/** Replaces a text that occurs once in a file. */
export interface Change {
  /** The path from the root of the project. */
  file: string;
  text: string;
  instead: string;
}
