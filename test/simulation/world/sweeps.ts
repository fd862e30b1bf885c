import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { BY_UNSENT, UNSENT } from '../../../core/events/outbox.ts';
import { BY_WAITING } from '../../../core/order/order-item.ts';
import { WALKED } from '../../../core/recovery/walk.ts';
import type { SimulatedWorld } from './simulated-world.ts';

/** Milliseconds. More sweeps would be most of what happens in the weeks for which orders wait for people. */
export const INTERVAL = 14_400_000;
/** The same on a bad day, which is short: as often as the stack does. */
export const INTERVAL_ON_BAD_DAY = 300_000;

/** After this many sweeps that started nothing, an order that still waits is a violation: a week, which is longer than any outage. */
const MOST_IDLE = 42;

/** Runs the sweep by the virtual clock, in place of its schedule, whose timer would never let the simulation end. */
export class Sweeps {
  readonly #world: SimulatedWorld;
  readonly #interval: number;
  #dueAt: number;
  #idle = 0;

  /** @param interval milliseconds of virtual time. */
  constructor(world: SimulatedWorld, interval: number) {
    this.#world = world;
    this.#interval = interval;
    this.#dueAt = world.clock.now() + interval;
  }

  /** Runs the sweep if it is due before the next timer. Returns whether it was. */
  async runIfDue(nextTimerAt: number): Promise<boolean> {
    this.#idle = 0;
    return this.#dueAt < nextTimerAt && this.#run();
  }

  /** Runs the sweep while an order waits with no timer left, or an event is unsent. Returns whether it ran. */
  async runIfNeeded(): Promise<boolean> {
    this.#idle += 1;
    const waiting = WALKED.filter((whom) => whom !== 'operator').map((whom) => this.#has(BY_WAITING, 'openFor', whom));
    const isNeeded = (await Promise.all([...waiting, this.#has(BY_UNSENT, 'unsent', UNSENT)])).includes(true);
    return isNeeded && this.#idle <= MOST_IDLE && this.#run();
  }

  async #has(index: string, key: string, value: string): Promise<boolean> {
    const { dynamodb, outputs } = this.#world;
    const query = new QueryCommand({
      TableName: outputs.OrderTable,
      IndexName: index,
      KeyConditionExpression: `${key} = :value`,
      ExpressionAttributeValues: { ':value': value },
      Limit: 1,
    });
    const { Count = 0 } = await dynamodb.send(query);
    return Count > 0;
  }

  async #run(): Promise<true> {
    const { aws, clock } = this.#world;
    clock.advanceTo(this.#dueAt);
    this.#dueAt += this.#interval;
    await sweepOnce(aws);
    return true;
  }
}

/** Invokes the sweep asynchronously, as its schedule does. */
export async function sweepOnce({ endpoint }: SimulatedWorld['aws']): Promise<void> {
  const url = `${endpoint}/2015-03-31/functions/loan-orders-local-sweep-orders/invocations`;
  const response = await fetch(url, { method: 'POST', headers: { 'x-amz-invocation-type': 'Event' }, body: '{}' });
  if (response.status !== 202) throw new Error(`The sweep: ${response.status} ${await response.text()}`);
}
