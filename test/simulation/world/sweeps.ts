import { DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import type { LocalAws, VirtualClock } from '@business-loan-orders/embedded-aws';
import { BY_UNSENT, UNSENT } from '../../../core/events/outbox.ts';
import { BY_WAITING } from '../../../core/order/order-item.ts';
import { PEOPLES_KEY } from '../people/peoples-key.ts';
import { invokeWithEvent } from './aws-client.ts';

/**
 * Milliseconds. A sweep every few minutes would be most of what happens in the weeks for which orders wait for people. Orders
 * only go on later because of this.
 */
export const INTERVAL = 3_600_000;
/** The same on a bad day, which is short: as often as the stack does. */
export const INTERVAL_ON_BAD_DAY = 300_000;

/** After this many sweeps that started nothing, an order that still waits is a violation. A week is longer than any outage. */
const MOST_IDLE = 168;

/** Runs the sweep by the virtual clock, in place of its schedule, whose timer would never let the simulation end. */
export class Sweeps {
  readonly #aws: LocalAws;
  readonly #clock: VirtualClock;
  readonly #table: DynamoDBClient;
  readonly #interval: number;
  #dueAt: number;
  #idle = 0;

  /** @param interval milliseconds of virtual time. */
  constructor(aws: LocalAws, clock: VirtualClock, interval: number) {
    this.#interval = interval;
    this.#aws = aws;
    this.#clock = clock;
    this.#table = new DynamoDBClient({ ...aws.clientSettings, credentials: PEOPLES_KEY });
    this.#dueAt = clock.now() + this.#interval;
  }

  /** Runs the sweep if it is due before the next timer. Returns whether it was. */
  async runIfDue(nextTimerAt: number): Promise<boolean> {
    this.#idle = 0;
    if (this.#dueAt >= nextTimerAt) return false;
    this.#clock.advanceTo(this.#dueAt);
    await this.#run();
    return true;
  }

  /**
   * Runs the sweep while an order waits for the service, which no execution drives with no timer left, or while an event is unsent.
   * Returns whether it ran.
   */
  async runIfNeeded(): Promise<boolean> {
    this.#idle += 1;
    const isNeeded =
      (await this.#has(BY_WAITING, 'openFor', 'service')) || (await this.#has(BY_UNSENT, 'unsent', UNSENT));
    if (!isNeeded || this.#idle > MOST_IDLE) return false;
    this.#clock.advanceTo(this.#dueAt);
    await this.#run();
    return true;
  }

  /** Whether an index has something below this key. */
  async #has(index: string, key: string, value: string): Promise<boolean> {
    const query = new QueryCommand({
      TableName: this.#aws.outputs['LoanOrders-local']?.OrderTable,
      IndexName: index,
      KeyConditionExpression: `${key} = :value`,
      ExpressionAttributeValues: { ':value': { S: value } },
      Limit: 1,
    });
    const { Count = 0 } = await this.#table.send(query);
    return Count > 0;
  }

  async #run(): Promise<void> {
    this.#dueAt = this.#clock.now() + this.#interval;
    await invokeWithEvent(this.#aws, 'loan-orders-local-sweep-orders', {});
  }
}
