import { plainPlan } from '../plan/plain-plan.ts';
import type { Mutation } from './mutation.ts';

const toldChange = 'core/order/told-change.ts';

/** EventBridge takes nothing for a while. */
const busIsThrottled = () =>
  plainPlan('bus-is-throttled', {
    awsFaults: [{ service: 'EventBridge', kind: 'throttled', position: 3, times: 6, after: false }],
  });

/** EventBridge refuses the first event of several. */
const oneIsRefused = () =>
  plainPlan('one-is-refused', {
    awsFaults: [{ service: 'EventBridge', kind: 'refused', position: 1, times: 20, after: false }],
  });

/** The function that has recorded a change is killed just before it tells of it. */
const killedBeforeTelling = () =>
  plainPlan('killed-before-telling', {
    kills: [{ functionName: 'read-order', request: 1, after: false, telling: true }],
  });

/** The answers to many writes are lost, so these writes are made again. */
const answersAreLost = () =>
  plainPlan('answers-are-lost', {
    awsFaults: Array.from({ length: 40 }, (_, index) => ({
      service: 'DynamoDB',
      kind: 'reset',
      position: 3 * index + 4,
      times: 1,
      after: true,
    })),
  });

export const eventMutations: readonly Mutation[] = [
  {
    name: 'events are taken off the outbox before they are sent',
    changes: [
      {
        file: 'core/order/send-outbox.ts',
        text: 'const { left, error } = await sendEvents(unsentEvents);',
        instead: 'await takeOff(key, eventCount, []);\n  const { left, error } = await sendEvents(unsentEvents);',
      },
    ],
    plans: () => [busIsThrottled()],
  },
  {
    name: 'a change is written without its event, which is only sent',
    changes: [
      {
        file: toldChange,
        text: '...(told.length > 0 && withEvents(before, told)),',
        instead: '...(told.length > 0 && { eventCount: withEvents(before, told).eventCount }),',
      },
      {
        file: toldChange,
        text: 'await sendOutbox(keyOf(before), changed);',
        instead: 'await sendOutbox(keyOf(before), withEvents(before, told));',
      },
    ],
    plans: () => [killedBeforeTelling()],
  },
  {
    name: 'an event that EventBridge refuses of several is taken for sent',
    changes: [
      {
        file: 'core/events/send-events.ts',
        text: 'Entries[position]?.EventId === undefined',
        instead: 'Entries[position] === undefined',
      },
    ],
    plans: () => [oneIsRefused()],
  },
  {
    name: 'a write that is made again tells of its change again',
    changes: [
      {
        file: toldChange,
        text: 'changeOnceAndTell(before, write, toldOf(before));',
        instead: 'changeOnceAndTell(before, write, toldOf(read));',
      },
    ],
    plans: () => [answersAreLost()],
  },
];
