import type { GivenDecision, Written } from './decision-schema.ts';

/** One chosen credit option of one offer (specification, endpoint 7). */
export type Choice = GivenDecision['choices'][number];

/** A choice as it is stored in the record. */
export interface KeptChoice extends Choice {
  /** A later decision left the choice out before its confirm was begun. */
  withdrawn?: true;
}

/** The decision on the offers as it is stored in the record. An offer's position in `choices` never changes. */
export interface KeptDecision {
  choices: KeptChoice[];
  /** Whether the latest decision takes no offer. */
  none: boolean;
  /** Number of decisions so far. */
  version: number;
  /** How the latest decision was made. Absent before the first one. */
  decided?: Decided;
}

/** How a decision was made. The record, `choices.json` and every view of a decision contain this object. */
export interface Decided {
  how: 'rule' | 'person';
  /** When the `decision.json` was received, or the rule chose. */
  at: string;
  /** Version of the `decision.json`. */
  file?: string | undefined;
  /** The other members of the `decision.json`. */
  written?: Written;
}

export const UNDECIDED: KeptDecision = { choices: [], none: false, version: 0 };
