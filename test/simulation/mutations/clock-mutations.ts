import { plainPlan } from '../plan/plain-plan.ts';
import type { Mutation } from './mutation.ts';

/**
 * A function of an aborted execution gets an answer that asks for a wait of 45 seconds. It records the time, and then its machine is busy
 * for a minute. So the next execution goes by that time on another machine, whose clock is ahead.
 */
const timeOfAnotherMachine = () =>
  plainPlan('time-of-another-machine', {
    scenario: 'slow-processing',
    polls: [{ occurrence: 2, seconds: 45 }],
    pauses: [
      { functionName: 'read-order', request: 2, after: false, seconds: 2.4, since: 10 },
      { functionName: 'read-order', request: 4, after: false, seconds: 60, since: 12 },
    ],
    abort: { after: 10.2, retryAfter: 0 },
  });

export const clockMutations: readonly Mutation[] = [
  {
    name: "a time that another machine recorded is compared with this machine's clock without a margin",
    changes: [
      {
        file: 'core/time.ts',
        text: 'const CLOCKS_DIFFER_BY = 2;',
        instead: 'const CLOCKS_DIFFER_BY = 0;',
      },
    ],
    needsWrongClocks: true,
    plans: () => [timeOfAnotherMachine()],
  },
];
