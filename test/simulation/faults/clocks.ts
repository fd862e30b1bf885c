import { Dice } from '../plan/dice.ts';
import type { Tally } from '../world/tally.ts';

/**
 * The clocks of machines are off by at most this, in milliseconds. Two of them then differ by at most two seconds, with the real
 * time that a function sees pass (packages/embedded-aws/lambda/worker-time.ts).
 */
const MOST = 975;

/**
 * How far the clock of each new machine of a function is ahead, in milliseconds; negative if it is behind. Of two machines of a
 * function in turn, one is ahead and the other behind. The same seed gives the n-th machine of a function the same clock.
 */
export function wrongClocks(injected: Tally, seed = ''): (functionName: string) => number {
  const machines = new Map<string, number>();
  return (functionName) => {
    const machine = (machines.get(functionName) ?? 0) + 1;
    machines.set(functionName, machine);
    const isFirstAhead = new Dice('clock', seed, functionName).chance(0.5);
    const isAhead = isFirstAhead === (machine % 2 === 1);
    const size = new Dice('clock', seed, functionName, machine).between(MOST * 0.6, MOST);
    injected.add(isAhead ? 'machine: clock ahead' : 'machine: clock behind');
    return isAhead ? size : -size;
  };
}
