import type { Simulator, SimulatorSettings } from '@business-loan-orders/order-simulator';
import { environmentOfOtherReadings, otherReadings } from '../../helpers/other-readings.ts';
import { Dice } from '../plan/dice.ts';
import { Tally } from './tally.ts';

/** Which order service the orders meet: one like the defaults, or one that reads the specification in another way wherever it can. */
export const profiles = ['default', 'other'] as const;
export type Profile = (typeof profiles)[number];

const common: Partial<SimulatorSettings> = {
  pollAfterSeconds: 10,
  processingSeconds: 8,
  slowProcessingSeconds: 45,
  bankSeconds: 9,
  tokenLifetimeSeconds: 900,
  closeWithoutConfirmationSeconds: 60,
  documentsToSign: 1,
};

export const settingsOf: Record<Profile, Partial<SimulatorSettings>> = {
  default: { ...common, unstatedBodies: 'json' },
  other: { ...common, ...otherReadings, unstatedBodies: 'empty' },
};

/** Timeout of calls to the order service, in real milliseconds. A timeout is the only fault that takes real time. */
const CALL_TIMEOUT = '8000';

export function openOptions(profile: Profile, simulator: Simulator, clocksAreRight: boolean) {
  return {
    // The simulation limits how many invocations run at once (interruptions.ts), so that a paused one blocks no other.
    lambdaConcurrency: 1_000,
    // A thread has one clock. Where all clocks are right, functions share threads: each of them loads the libraries.
    ...(!clocksAreRight && { lambdaThreads: 'one for each sandbox' as const }),
    functionEnvironment: {
      ...(profile === 'other' && environmentOfOtherReadings()),
      POWERTOOLS_LOG_LEVEL: 'ERROR',
      // No source maps: nobody reads stack traces here, and parsing the maps takes time.
      NODE_OPTIONS: '',
      POLL_DEFAULT_SECONDS: String(simulator.settings.pollAfterSeconds),
      AWS_MAX_ATTEMPTS: '2',
      CALL_TIMEOUT_MILLISECONDS: CALL_TIMEOUT,
      FILE_TIMEOUT_MILLISECONDS: CALL_TIMEOUT,
      FILE_IDLE_TIMEOUT_MILLISECONDS: CALL_TIMEOUT,
    },
  } as const;
}

/**
 * The clocks of machines are off by at most this, in milliseconds. Two of them then differ by at most two seconds, with the real
 * time that a function sees pass (packages/embedded-aws/lambda/worker-time.ts).
 */
const MOST = 975;

/** How far the clock of each new machine is ahead, in milliseconds. In turn, one is ahead and one behind. */
export function wrongClocks(injected: Tally, seed = ''): (functionName: string) => number {
  const machines = new Tally();
  return (functionName) => {
    const machine = machines.add(functionName);
    const isFirstAhead = new Dice('clock', seed, functionName).chance(0.5);
    const isAhead = isFirstAhead === (machine % 2 === 1);
    const size = new Dice('clock', seed, functionName, machine).between(MOST * 0.6, MOST);
    injected.add(isAhead ? 'machine: clock ahead' : 'machine: clock behind');
    return isAhead ? size : -size;
  };
}
