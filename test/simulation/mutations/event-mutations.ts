import { plainPlan } from '../plan/order-plan.ts';
import { type Mutation, mutation } from './mutation.ts';

const changeOrder = 'core/order/change-order.ts';

export const eventMutations: readonly Mutation[] = [
  mutation(
    'events are taken off the outbox before they are sent',
    // EventBridge takes nothing for a while.
    [
      plainPlan('bus-is-throttled', {
        awsFaults: [{ service: 'EventBridge', kind: 'throttled', position: 3, times: 6, after: false }],
      }),
    ],
    'core/people/send-outbox.ts',
    'const published = await publish(order, unpublished);',
    'await takeOff(order, withLeft({ unsentEvents: [], unpublished: [] }));\n  const published = await publish(order, unpublished);',
  ),
  {
    name: 'a change is written without its event, which is only sent',
    changes: [
      {
        file: changeOrder,
        text: '...outbox },',
        instead: '...outbox, unsentEvents: undefined },',
      },
      {
        file: changeOrder,
        text: 'if (changed) return changed;',
        instead: 'if (changed) return { ...changed, ...withOutbox(before, toldOf(before), []) };',
      },
    ],
    // The function that has recorded a change is killed just before it tells of it.
    plans: [
      plainPlan('killed-before-telling', {
        interruptions: [{ functionName: 'read-order', request: 1, after: false, telling: true }],
      }),
    ],
  },
  mutation(
    'an event that EventBridge refuses of several is taken for sent',
    // EventBridge refuses the first event of several.
    [
      plainPlan('one-is-refused', {
        awsFaults: [{ service: 'EventBridge', kind: 'refused', position: 1, times: 20, after: false }],
      }),
    ],
    'core/events/send-events.ts',
    'Entries[position]?.EventId === undefined',
    'Entries[position] === undefined',
  ),
  mutation(
    'a write that is made again tells of its change again',
    // The answer to each write is lost once, so each is made again.
    [
      plainPlan('answers-are-lost', {
        awsFaults: Array.from({ length: 40 }, (_, index) => ({
          service: 'DynamoDB',
          operation: 'UpdateItem',
          kind: 'reset',
          position: 2 * index + 1,
          times: 1,
          after: true,
        })),
      }),
    ],
    changeOrder,
    'changeOnce(before, write, toldOf(before));',
    'changeOnce(before, write, toldOf(read));',
  ),
];
