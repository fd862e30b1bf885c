import { expect, test } from 'vitest';
import type { InvocationResult } from '../../../packages/embedded-aws/index.ts';
import { Interruptions } from '../../simulation/faults/interruptions.ts';
import { plainPlan } from '../../simulation/plan/plain-plan.ts';
import { Tally } from '../../simulation/world/tally.ts';
import { Turns } from '../../simulation/world/turns.ts';

test('two invocations of a function run at once, and a third begins when one ends its turn', async () => {
  const turns = new Turns();
  const begun: string[] = [];
  const begin = async (name: string) => {
    await turns.begin();
    begun.push(name);
  };
  await Promise.all([begin('first'), begin('second')]);
  const third = begin('third');
  await Promise.resolve();
  expect(begun).toEqual(['first', 'second']);
  turns.end();
  await third;
  expect(begun).toEqual(['first', 'second', 'third']);
});

test('a function pauses once, at the planned request, for the planned time, and not before its earliest start', async () => {
  const pauses = [{ functionName: 'receive', request: 2, after: false, seconds: 4, since: 10 }];
  const waited: number[] = [];
  let now = 0;
  const interruptions = new Interruptions({
    plans: new Map([['order-1', plainPlan('order-1', { pauses })]]),
    injected: new Tally(),
    now: () => now,
    later: async (seconds) => void waited.push(seconds),
    standStill: (wait) => wait,
  });
  const run = async (requests: number) => {
    const result: InvocationResult = { payload: 'null' };
    await interruptions.run('order-1', 'receive', async () => {
      for (let request = 1; request <= requests; request += 1) {
        await interruptions.at('order-1', 'receive').pause?.wait(true);
      }
      return result;
    });
  };
  await run(3);
  now = 10;
  await run(1);
  expect(waited).toEqual([]);
  await run(3);
  await run(3);
  expect(waited).toEqual([4]);
});

test('a kill while a function tells others counts its requests to EventBridge, and no other kill or pause does', async () => {
  const kills = [
    { functionName: 'read-order', request: 2, after: true, telling: true as const },
    { functionName: 'read-order', request: 3, after: false },
  ];
  const injected = new Tally();
  const interruptions = new Interruptions({
    plans: new Map([['order-1', plainPlan('order-1', { kills })]]),
    injected,
    now: () => 0,
    later: async () => undefined,
    standStill: (wait) => wait,
  });
  const killed: string[] = [];
  await interruptions.run('order-1', 'read-order', async () => {
    const request = (name: string, telling?: true) => {
      if (interruptions.at('order-1', 'read-order', telling).kill) killed.push(name);
    };
    for (const number of [1, 2, 3]) {
      request(`request ${number}`);
      request(`event ${number}`, true);
    }
    return { payload: 'null' };
  });
  expect(killed).toEqual(['event 2', 'request 3']);
  expect(injected.toJSON()).toEqual({
    'function killed: read-order': 1,
    'function killed: read-order, after it sent an event': 1,
  });
});
