import { expect, it } from 'vitest';
import { Activity } from '../../time/activity.ts';

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Whether it settles within twenty turns of the event loop: five times as many as it waits for more work. */
const settlesSoon = (activity: Activity) =>
  Promise.race([activity.settle().then(() => true), turns(20).then(() => false)]);

it('the activity settles while a piece of work is paused, and waits for it again afterwards', async () => {
  const activity = new Activity();
  const [pause, work] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const done = activity.track(async () => {
    await activity.standStill(pause.promise);
    await work.promise;
  });
  expect(await settlesSoon(activity)).toBe(true);
  pause.resolve();
  expect(await settlesSoon(activity)).toBe(false);
  work.resolve();
  await done;
  expect(await settlesSoon(activity)).toBe(true);
});

it('the activity settles when a piece of work ends while it is paused', async () => {
  const activity = new Activity();
  const pause = Promise.withResolvers<void>();
  const end = activity.begin();
  const stillness = activity.standStill(pause.promise);
  end();
  const settled = activity.settle();
  expect(await settlesSoon(activity)).toBe(false);
  pause.resolve();
  await Promise.all([stillness, settled]);
});
