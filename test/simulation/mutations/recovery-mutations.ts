import { plainPlan } from '../plan/plain-plan.ts';
import type { Mutation } from './mutation.ts';

const HOUR = 3_600;

/** The order comes in the middle of the outage. */
const duringOutage = () => plainPlan('during-outage', { badDay: { startsAfter: 9 * HOUR }, operatorAway: true });

export const recoveryMutations: readonly Mutation[] = [
  {
    name: 'an order that an outage stopped is not started again by itself',
    changes: [
      {
        file: 'core/recovery/outage.ts',
        text: 'if (!OUTAGES.has(error)) return undefined;',
        instead: 'return undefined;',
      },
    ],
    plans: () => [duringOutage()],
  },
  {
    name: 'an execution that fails does not record its end',
    changes: [
      {
        file: 'core/recovery/record-execution-end.ts',
        text: 'order && !order.dismissed && !order.removal && !isSuperseded(order, ended);',
        instead: 'order && ended.cause === order.orderRef;',
      },
    ],
    plans: () => [duringOutage()],
  },
];
