import { Dice } from '../plan/dice.ts';
import type { Tally } from '../world/tally.ts';

/** The clocks of machines are off by at most this, in milliseconds. Two of them differ by at most twice as much. */
const MOST = 1_000;

/** The clocks of the machines that run functions. The n-th machine of a function always has the same clock. */
export class Clocks {
  readonly #injected: Tally;
  readonly #machines = new Map<string, number>();

  constructor(injected: Tally) {
    this.#injected = injected;
  }

  /** How far the clock of a new machine is ahead. Milliseconds; negative if it is behind. */
  readonly skewOf = (functionName: string): number => {
    const machine = (this.#machines.get(functionName) ?? 0) + 1;
    this.#machines.set(functionName, machine);
    const skew = new Dice('clock', functionName, machine).between(-MOST, MOST);
    this.#injected.add(skew > 0 ? 'machine: clock ahead' : 'machine: clock behind');
    return skew;
  };
}
