import { randomUUID } from 'node:crypto';
import type { Account } from '../account.ts';
import type { Json, JsonObject } from '../protocol/json.ts';
import type { Activity } from '../time/activity.ts';
import { nextTurn } from '../time/activity.ts';
import type { Clock } from '../time/clock.ts';
import type { EventMatcher } from './pattern.ts';

/** What a service says of an event; the bus adds id, time, account and region. */
export interface NewEvent {
  source: string;
  'detail-type': string;
  resources: string[];
  detail: object;
}

/** Where a rule sends its events. `deliver` rejects when the target does not take the event. */
export interface RuleTarget {
  arn: string;
  input: (event: JsonObject) => Json;
  deliver: (input: Json) => Promise<void>;
  /** Takes an event that the target did not: the rule's dead letters, or the log when it has none. */
  undelivered: (event: JsonObject, error: Error) => void;
}

/**
 * Stands around every delivery. `deliver` hands the event to its target: once, twice, or later by the clock. An event for which it is
 * never called is lost.
 */
export type DeliveryWrapper = (event: JsonObject, deliver: () => void) => void;

export interface Rule {
  arn: string;
  matches: EventMatcher;
  targets: RuleTarget[];
}

/** The default event bus. Delivery never happens within the call that publishes. */
export class EventBus {
  readonly #rules: Rule[] = [];
  readonly #account: Account;
  readonly #clock: Clock;
  readonly #activity: Activity;
  readonly #wrapper: DeliveryWrapper;
  #isClosed = false;

  constructor(account: Account, clock: Clock, activity: Activity, wrapper?: DeliveryWrapper) {
    this.#wrapper = wrapper ?? ((_event, deliver) => deliver());
    this.#account = account;
    this.#clock = clock;
    this.#activity = activity;
  }

  addRule(rule: Rule): void {
    this.#rules.push(rule);
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Returns the event's id. */
  publish(event: NewEvent): string {
    const id = randomUUID();
    const { accountId: account, region } = this.#account;
    const time = new Date(this.#clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
    // A copy, in the members' usual order: nobody who reads it later sees what the publisher changes.
    const whole = {
      version: '0',
      id,
      'detail-type': event['detail-type'],
      source: event.source,
      account,
      time,
      region,
    };
    const text = JSON.stringify({ ...whole, resources: event.resources, detail: event.detail });
    for (const rule of this.#rules) {
      if (!rule.matches(JSON.parse(text) as JsonObject)) continue;
      for (const target of rule.targets) {
        this.#wrapper(JSON.parse(text) as JsonObject, () => void this.#deliver(target, JSON.parse(text) as JsonObject));
      }
    }
    return id;
  }

  async #deliver(target: RuleTarget, event: JsonObject): Promise<void> {
    await this.#activity.track(async () => {
      await nextTurn();
      if (this.#isClosed) return;
      try {
        await target.deliver(target.input(event));
      } catch (error) {
        target.undelivered(event, error as Error);
      }
    });
  }
}
