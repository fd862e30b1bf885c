import { Dice } from '../plan/dice.ts';
import type { Tally } from '../world/tally.ts';

/**
 * The clocks of machines are off by at most this, in milliseconds. Two of them then differ by at most two seconds, with the real
 * time that a function sees pass (packages/embedded-aws/lambda/worker-time.ts).
 */
const MOST = 975;

export interface ClocksOptions {
  injected: Tally;
  /** The same seed gives the n-th machine of a function the same clock. Default: none. */
  seed?: string | undefined;
  /** All clocks are right. */
  areRight?: boolean | undefined;
}

/** The clocks of the machines that run functions. Of two machines of a function in turn, one is ahead and the other behind. */
export class Clocks {
  readonly #options: ClocksOptions;
  readonly #machines = new Map<string, number>();

  constructor(options: ClocksOptions) {
    this.#options = options;
  }

  /** How far the clock of a new machine is ahead. Milliseconds; negative if it is behind. */
  readonly skewOf = (functionName: string): number => {
    const { injected, seed = '', areRight } = this.#options;
    if (areRight) return 0;
    const machine = (this.#machines.get(functionName) ?? 0) + 1;
    this.#machines.set(functionName, machine);
    const isFirstAhead = new Dice('clock', seed, functionName).chance(0.5);
    const isAhead = isFirstAhead === (machine % 2 === 1);
    const size = new Dice('clock', seed, functionName, machine).between(MOST * 0.6, MOST);
    injected.add(isAhead ? 'machine: clock ahead' : 'machine: clock behind');
    return isAhead ? size : -size;
  };
}
