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
  /** Rejects if the target refuses the input. */
  deliver: (input: string) => Promise<void>;
  /** Called if the target refused the input. Logs the error and sends a dead letter. */
  undelivered: (input: string, error: Error) => void;
}

/**
 * EventBridge Scheduler. A schedule invokes its target at once, then at its rate. Invocations that were due while the machine slept are
 * skipped. Deliveries pass through the delivery wrapper, like those of the event bus.
 */
export function createScheduler(
  clock: Clock,
  activity: Activity,
  wrapper: DeliveryWrapper = (_event, deliver) => deliver(),
) {
  const schedules: Schedule[] = [];
  const timers = new Map<Schedule, TimerHandle>();
  const deliver = (schedule: Schedule): Promise<void> =>
    activity.track(async () => {
      await nextTurn();
      if (schedules.length === 0) return;
      try {
        await schedule.deliver(schedule.input);
      } catch (error) {
        schedule.undelivered(schedule.input, error as Error);
      }
    });
  const invoke = (schedule: Schedule, due: number): void => {
    const time = new Date(due).toISOString().replace(/\.\d+Z$/, 'Z');
    const resources = [schedule.arn, schedule.targetArn];
    wrapper({ id: randomUUID(), time, source: 'aws.scheduler', resources }, () => void deliver(schedule));
  };
  const arm = (schedule: Schedule, due: number): void => {
    const timer = clock.setTimeout(() => {
      invoke(schedule, due);
      const missed = Math.floor((clock.now() - due) / schedule.interval);
      arm(schedule, due + (missed + 1) * schedule.interval);
    }, due - clock.now());
    timers.set(schedule, timer);
  };
  const forget = (): void => {
    for (const timer of timers.values()) clock.clearTimeout(timer);
    timers.clear();
  };
  return {
    add: (schedule: Schedule): void => void schedules.push(schedule),
    start: (): void => {
      const now = clock.now();
      for (const schedule of schedules) if (!timers.has(schedule)) arm(schedule, now);
    },
    forget,
    close: (): void => {
      forget();
      schedules.length = 0;
    },
  };
}
