import type { Queue, QueueMessage } from '../sqs/queue.ts';
import { type Activity, nextTurn } from '../time/activity.ts';
import type { Clock, TimerHandle } from '../time/clock.ts';
import { type LambdaFunction, refused } from './function.ts';
import { handledOf, sqsEvent } from './sqs-batch.ts';

export interface EventSourceSettings {
  queue: Queue;
  /** Found for each batch: a deployment may replace it. */
  target: () => LambdaFunction;
  batchSize: number;
  maximumConcurrency: number;
  /** ReportBatchItemFailures: the function's answer names the messages that it could not handle. */
  reportsFailures: boolean;
  region: string;
  clock: Clock;
  activity: Activity;
}

/**
 * An event source mapping: passes the messages of a queue on to a function in batches, and deletes those that it has handled. It polls the
 * queue when a message arrives, when a batch has ended, and when a hidden message becomes visible again.
 */
export class EventSource {
  readonly #settings: EventSourceSettings;
  #running = 0;
  #isWoken = false;
  #isClosed = false;
  #timer: TimerHandle | undefined;

  constructor(settings: EventSourceSettings) {
    this.#settings = settings;
  }

  start(): void {
    this.#settings.queue.listen(() => this.#wake());
  }

  close(): void {
    this.#isClosed = true;
    this.#disarm();
  }

  /** Polls the queue in the next turn of the event loop, so messages that arrive together form one batch. */
  #wake(): void {
    if (this.#isWoken || this.#isClosed) return;
    this.#isWoken = true;
    void this.#settings.activity.track(async () => {
      await nextTurn();
      this.#isWoken = false;
      this.#poll();
    });
  }

  #poll(): void {
    const { queue, batchSize, maximumConcurrency } = this.#settings;
    while (!this.#isClosed && this.#running < maximumConcurrency) {
      const batch = queue.receive(batchSize);
      if (batch.length === 0) break;
      this.#running += 1;
      void this.#handle(batch);
    }
    this.#arm();
  }

  async #handle(batch: QueueMessage[]): Promise<void> {
    const { queue, target, reportsFailures, region } = this.#settings;
    // Only the invocation counts as work in flight, because a test may pause it. A refused batch is delivered again.
    const result = await target()
      .invoke(sqsEvent(batch, queue, region))
      .catch(refused);
    this.#running -= 1;
    for (const { receiptHandle } of handledOf(batch, result, reportsFailures)) queue.delete(String(receiptHandle));
    this.#wake();
  }

  /** A timer for the next message that becomes visible, and none while there is no such message. */
  #arm(): void {
    this.#disarm();
    const { queue, clock } = this.#settings;
    const next = queue.nextVisibleAt();
    if (next === undefined || this.#isClosed) return;
    this.#timer = clock.setTimeout(() => this.#wake(), next - clock.now());
  }

  #disarm(): void {
    if (this.#timer) this.#settings.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
