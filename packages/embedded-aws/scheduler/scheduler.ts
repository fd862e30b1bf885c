import { randomUUID } from 'node:crypto';
import type { DeliveryWrapper } from '../events/bus.ts';
import { type Activity, nextTurn } from '../time/activity.ts';
import type { Clock, TimerHandle } from '../time/clock.ts';

export interface Schedule {
  arn: string;
  /** Milliseconds. */
  interval: number;
  /** JSON. */
  input: string;
  targetArn: string;
  /** Rejects when the target does not accept the input. */
  deliver: (input: string) => Promise<void>;
  /** Called when the target did not accept the input: logs it and sends a dead letter. */
  undelivered: (input: string, error: Error) => void;
}

interface SchedulerSettings {
  clock: Clock;
  activity: Activity;
  wrapper?: DeliveryWrapper | undefined;
}

/**
 * EventBridge Scheduler. A schedule invokes its target at once and then at its rate. Times that passed while the machine slept are skipped.
 * Deliveries pass through the delivery wrapper, like those of the event bus.
 */
export class Scheduler {
  readonly #settings: SchedulerSettings;
  readonly #schedules: Schedule[] = [];
  readonly #timers = new Map<Schedule, TimerHandle>();

  constructor(settings: SchedulerSettings) {
    this.#settings = settings;
  }

  add(schedule: Schedule): void {
    this.#schedules.push(schedule);
  }

  /** Starts to invoke the targets of schedules. */
  start(): void {
    const now = this.#settings.clock.now();
    for (const schedule of this.#schedules) {
      if (!this.#timers.has(schedule)) this.#arm(schedule, now);
    }
  }

  /** Stops invoking the targets until the next start. */
  forget(): void {
    for (const timer of this.#timers.values()) this.#settings.clock.clearTimeout(timer);
    this.#timers.clear();
  }

  close(): void {
    this.forget();
    this.#schedules.length = 0;
  }

  #arm(schedule: Schedule, due: number): void {
    const { clock } = this.#settings;
    const timer = clock.setTimeout(() => {
      this.#invoke(schedule, due);
      const missed = Math.floor((clock.now() - due) / schedule.interval);
      this.#arm(schedule, due + (missed + 1) * schedule.interval);
    }, due - clock.now());
    this.#timers.set(schedule, timer);
  }

  #invoke(schedule: Schedule, due: number): void {
    const id = randomUUID();
    const time = new Date(due).toISOString().replace(/\.\d+Z$/, 'Z');
    const event = { id, time, source: 'aws.scheduler', resources: [schedule.arn, schedule.targetArn] };
    const { wrapper } = this.#settings;
    const deliver = () => void this.#deliver(schedule);
    if (wrapper) wrapper(event, deliver);
    else deliver();
  }

  async #deliver(schedule: Schedule): Promise<void> {
    const { input } = schedule;
    await this.#settings.activity.track(async () => {
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
