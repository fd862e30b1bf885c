import type { OrderPlan } from '../plan/order-plan.ts';
import type { Profile } from '../world/profiles.ts';

/** Replaces a text that occurs once in a file. The path is from the root of the project. */
export interface Change {
  file: string;
  text: string;
  instead: string;
}

/** A change that breaks a copy of the deployed code, and orders that must show it. */
export interface Mutation {
  name: string;
  changes: readonly Change[];
  plans: readonly OrderPlan[];
  /** The order service that the orders meet. Default: `default`. */
  profile?: Profile;
  /** Only clocks that differ show it: with right clocks the same orders have no violation. */
  needsWrongClocks?: true;
}

/** A mutation of one place. */
export const mutation = (
  name: string,
  plans: Mutation['plans'],
  file: string,
  text: string,
  instead: string,
  more: Pick<Mutation, 'profile' | 'needsWrongClocks'> = {},
): Mutation => ({ name, plans, changes: [{ file, text, instead }], ...more });
