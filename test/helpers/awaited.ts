import { DAY, type World } from './world.ts';

/** How long an order waits for signatures, and for a decision. */
export const DEADLINE = 30 * DAY;

/** Makes a wait for people as old as if its deadline came after this time: the weeks before bring nothing. */
export async function bringDeadline(world: World, orderRef: string, milliseconds = 2 * DAY): Promise<void> {
  const since = new Date(world.clock.now() + milliseconds - DEADLINE).toISOString();
  const awaited = (await world.record(orderRef))?.awaited;
  await world.rewrite(orderRef, { awaited: { ...awaited, since } });
}
