import type { Decision } from '../order/decision-states.ts';
import type { OrderItem, Repeats } from '../order/order-item.ts';

/** The state that an execution passes from step to step: references and counters, no data. */
export interface Cursor {
  orderRef: string;
  generation: number;
  /** Reads that this execution has made. Work counts as reads, too (`readsOfWork`). */
  reads: number;
  /** Consecutive reads of a status that was already handled. */
  repeats: number;
  /** Seconds to wait before the next read; 0 if the order has just been created. */
  pollAfterSeconds: number;
  /** The recorded time before which the order must not be read, when this wait was set. Empty for none. */
  nextReadAt: string;
  known: Known;
}

/** What the execution already knows, so its next read need not look it up. */
export interface Known {
  /** Name of the last accept that this execution made. It is done. Null if the accept was postponed. */
  accepted?: string | null;
  /** The version of the decision at the last read, if that found nothing to do and nothing was done since. */
  decision?: number;
  /** The version of the decision whose choices are all confirmed. */
  confirmed?: number;
  /** Consecutive reads with an unusable answer. */
  unusable?: Repeats;
  /** Consecutive reads with the same unknown status. */
  strange?: Repeats;
  confirms?: ConfirmOutcome[];
  /** When the first of the `repeats` was made. */
  repeatedSince?: string;
  /** A wait for people has ended. It may be too early to read the order. */
  waitedForPeople?: true;
}

export interface ConfirmOutcome {
  position: number;
  /** If the choice is confirmed: the version of the decision. */
  confirmed?: number;
}

export interface FileOutcome {
  position: number;
  /** The service asked us to wait. The file must be tried again later. */
  postponed: boolean;
}

/** One item of a Map state: a file of an order. */
export interface FileInput {
  orderRef: string;
  generation: number;
  /** Index in the order's `documents`, or in the `fileIds` of its signatures round. */
  position: number;
}

/** The decision, if this execution knows that all its choices are confirmed. A confirm is never undone. */
export function confirmedDecision({ decision }: Pick<OrderItem, 'decision'>, known: Known): Decision | undefined {
  const { choices, version } = decision;
  const isConfirmed = (position: number) =>
    known.confirmed === version ||
    known.confirms?.some((one) => one.position === position && one.confirmed === version);
  if (version === 0 || !choices.every((_, position) => isConfirmed(position))) return undefined;
  return { ...decision, choices: choices.map((choice) => ({ choice, confirm: 'done' })) };
}

/** The items of the Map state `Confirm offer`: positions in the order's decision. Each says whether others precede and follow it. */
export function confirmItems(
  { orderRef, generation }: Pick<OrderItem, 'orderRef' | 'generation'>,
  positions: readonly number[],
) {
  return positions.map((position, index) => ({
    orderRef,
    generation,
    position,
    later: index > 0,
    more: index < positions.length - 1,
  }));
}
