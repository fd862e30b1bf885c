import { randomUUID } from 'node:crypto';
import type { Account } from '../account.ts';
import type { Changes } from '../changes.ts';
import type { Json, JsonObject } from '../protocol/operation.ts';
import { type Activity, nextTurn } from '../time/activity.ts';
import type { Clock } from '../time/clock.ts';
import type { EventMatcher } from './pattern.ts';
import type { Webhook } from './webhook.ts';

/** An event to publish. The bus adds id, time, account and region. */
export interface NewEvent {
  source: string;
  'detail-type': string;
  resources: string[];
  detail: object;
  /** Milliseconds since the epoch. Default: now. */
  time?: number;
}

export const DEFAULT_BUS = 'default';

/** A target of a rule. `deliver` rejects if the target refuses the event. */
export interface RuleTarget {
  arn: string;
  input: (event: JsonObject) => Json;
  deliver: (input: Json) => Promise<void>;
  /** Called if the target refused the event. Logs the error and sends a dead letter. */
  undelivered: (event: JsonObject, error: Error) => void;
}

/** Wraps every delivery. It may call `deliver` at once, later, or twice. If it never does, the event is lost. */
export type DeliveryWrapper = (event: JsonObject, deliver: () => void) => void;

/** Returns the `ErrorCode` with which PutEvents refuses this entry; undefined to accept it. */
export type EntryRefusal = (entry: Pick<NewEvent, 'source' | 'detail-type' | 'detail'>) => string | undefined;

export interface Rule {
  arn: string;
  matches: EventMatcher;
  targets: RuleTarget[];
}

interface EventBusOptions {
  deliveryWrapper?: DeliveryWrapper;
  entryRefusal?: EntryRefusal;
}

export type EventBus = ReturnType<typeof createEventBus>;

/** The default event bus and custom ones. Events are delivered after `publish` has returned. */
export function createEventBus(
  place: Account,
  clock: Clock,
  activity: Activity,
  changes: Changes,
  { deliveryWrapper: wrapper = (_event, deliver) => deliver(), entryRefusal: refusal }: EventBusOptions,
) {
  /** Rules by bus, then by ARN. */
  const rulesOf = new Map<string, Map<string, Rule>>([[DEFAULT_BUS, new Map()]]);
  let isClosed = false;
  const deliver = (target: RuleTarget, event: JsonObject): Promise<void> =>
    activity.track(async () => {
      await nextTurn();
      if (isClosed) return;
      try {
        await target.deliver(target.input(event));
      } catch (error) {
        target.undelivered(event, error as Error);
      }
    });
  return {
    /** API destinations by ARN, and headers by the ARN of their connection. */
    webhooks: new Map<string, Webhook>(),
    connections: new Map<string, Record<string, string>>(),
    addBus: (name: string): void => void rulesOf.set(name, rulesOf.get(name) ?? new Map()),
    has: (name: string): boolean => rulesOf.has(name),
    /** Adds a rule, or replaces the one with the same ARN. @param bus the name of an existing bus. */
    addRule: (rule: Rule, bus: string): void => void rulesOf.get(bus)?.set(rule.arn, rule),
    removeRule: (arn: string): void => {
      for (const rules of rulesOf.values()) rules.delete(arn);
    },
    /** Applies only to PutEvents. Events of AWS services are never refused. */
    refusal,
    close: (): void => {
      isClosed = true;
    },
    publish: (event: NewEvent, bus = DEFAULT_BUS): string => {
      const id = randomUUID();
      const { accountId: account, region } = place;
      const time = new Date(event.time ?? clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
      const { 'detail-type': type, source, resources, detail } = event;
      // Serialized, so later changes by the publisher have no effect. The properties are in the same order as on AWS.
      const whole = { version: '0', id, 'detail-type': type, source, account, time, region, resources, detail };
      const text = JSON.stringify(whole);
      const copy = () => JSON.parse(text) as JsonObject;
      changes.publish({ type: 'event', bus, event: copy() });
      for (const rule of rulesOf.get(bus)?.values() ?? []) {
        if (!rule.matches(copy())) continue;
        for (const target of rule.targets) wrapper(copy(), () => void deliver(target, copy()));
      }
      return id;
    },
  };
}
