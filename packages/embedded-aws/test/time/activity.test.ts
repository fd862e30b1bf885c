import { expect, it } from 'vitest';
import { Activity } from '../../time/activity.ts';

it('the activity settles while a piece of work is paused, and waits for it again afterwards', async () => {
  const activity = new Activity();
  const pause = Promise.withResolvers<void>();
  const work = Promise.withResolvers<void>();
  const done = activity.track(async () => {
    await activity.standStill(pause.promise);
    await work.promise;
  });
  await activity.settle();
  pause.resolve();
  await Promise.resolve();
  let isSettled = false;
  const settled = activity.settle().then(() => {
    isSettled = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(isSettled).toBe(false);
  work.resolve();
  await Promise.all([done, settled]);
  expect(isSettled).toBe(true);
});

it('the activity settles when a piece of work ends while it is paused', async () => {
  const activity = new Activity();
  const pause = Promise.withResolvers<void>();
  const end = activity.begin();
  const stillness = activity.standStill(pause.promise);
  end();
  let isSettled = false;
  const settled = activity.settle().then(() => {
    isSettled = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  pause.resolve();
  await Promise.all([stillness, settled]);
  expect(isSettled).toBe(true);
});
