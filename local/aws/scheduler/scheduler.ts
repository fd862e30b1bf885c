import { randomUUID } from 'node:crypto';
import type { DeliveryWrapper } from '../events/bus.ts';
import { type Activity, nextTurn } from '../time/activity.ts';
import type { Clock, TimerHandle } from '../time/clock.ts';
import type { Occurrences } from './expression.ts';

export interface Schedule {
  arn: string;
  /** When it is due, once it is known when schedules begin (milliseconds since the epoch). */
  occurrencesFrom: (begin: number) => Occurrences;
  /** JSON; may name the context attributes of EventBridge Scheduler, such as `<aws.scheduler.scheduled-time>`. */
  input: string;
  targetArn: string;
  /** Rejects when the target does not take the input. */
  deliver: (input: string) => Promise<void>;
  /** Takes what the target did not: the schedule's dead letters, or the log when it has none. */
  undelivered: (input: string, error: Error) => void;
}

interface Place {
  clock: Clock;
  activity: Activity;
  wrapper?: DeliveryWrapper | undefined;
}

/**
 * EventBridge Scheduler. Every schedule goes by the clock: a rate without a start date invokes its target at once and then at
 * its rate. What was missed while the machine slept is not made up for. A delivery passes the delivery wrapper, as one
 * of the event bus does: EventBridge Scheduler too delivers at least once.
 */
export class Scheduler {
  readonly #place: Place;
  readonly #schedules: Schedule[] = [];
  readonly #timers = new Map<Schedule, TimerHandle>();

  constructor(place: Place) {
    this.#place = place;
  }

  add(schedule: Schedule): void {
    this.#schedules.push(schedule);
  }

  /** From now on schedules invoke their targets. */
  start(): void {
    const now = this.#place.clock.now();
    for (const schedule of this.#schedules) {
      if (!this.#timers.has(schedule)) this.#arm(schedule, schedule.occurrencesFrom(now), now);
    }
  }

  close(): void {
    for (const timer of this.#timers.values()) this.#place.clock.clearTimeout(timer);
    this.#schedules.length = 0;
  }

  #arm(schedule: Schedule, occurrences: Occurrences, from: number): void {
    const { clock } = this.#place;
    const due = occurrences(from);
    if (due === undefined) return;
    const timer = clock.setTimeout(() => {
      this.#invoke(schedule, due);
      this.#arm(schedule, occurrences, Math.max(due + 1, clock.now()));
    }, due - clock.now());
    this.#timers.set(schedule, timer);
  }

  #invoke(schedule: Schedule, due: number): void {
    const id = randomUUID();
    const time = new Date(due).toISOString().replace(/\.\d+Z$/, 'Z');
    const input = withContext(schedule, { 'execution-id': id, 'scheduled-time': time, 'attempt-number': '1' });
    const event = { id, time, source: 'aws.scheduler', resources: [schedule.arn, schedule.targetArn] };
    const { wrapper } = this.#place;
    const deliver = () => void this.#deliver(schedule, input);
    if (wrapper) wrapper(event, deliver);
    else deliver();
  }

  async #deliver(schedule: Schedule, input: string): Promise<void> {
    await this.#place.activity.track(async () => {
      await nextTurn();
      if (this.#schedules.length === 0) return;
      try {
        await schedule.deliver(input);
      } catch (error) {
        schedule.undelivered(input, error as Error);
      }
    });
  }
}

function withContext({ arn, input }: Schedule, attributes: Record<string, string>): string {
  return Object.entries({ ...attributes, 'schedule-arn': arn }).reduce(
    (text, [name, value]) => text.replaceAll(`<aws.scheduler.${name}>`, value),
    input,
  );
}
