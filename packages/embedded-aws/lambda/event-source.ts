import type { Queue, QueueMessage } from '../sqs/queue.ts';
import { type Activity, nextTurn } from '../time/activity.ts';
import type { Clock, TimerHandle } from '../time/clock.ts';
import { type LambdaFunction, refusedResult } from './function.ts';
import { handledOf, sqsEvent } from './sqs-batch.ts';

export interface EventSourceSettings {
  queue: Queue;
  /** Called for each batch, because a deployment may replace the function. */
  target: () => LambdaFunction;
  batchSize: number;
  maximumConcurrency: number;
  /** ReportBatchItemFailures: the function returns the IDs of the messages that failed. */
  reportsFailures: boolean;
  region: string;
  clock: Clock;
  activity: Activity;
}

export type EventSource = ReturnType<typeof createEventSourceMapping>;

/**
 * An event source mapping: invokes a function with batches of a queue's messages and deletes the handled ones. It polls when a message
 * arrives, when a batch ends, and when a hidden message becomes visible.
 */
export function createEventSourceMapping(settings: EventSourceSettings) {
  const { queue, target, batchSize, maximumConcurrency, reportsFailures, region, clock, activity } = settings;
  let running = 0;
  let isWoken = false;
  let isClosed = false;
  let timer: TimerHandle | undefined;
  const disarm = (): void => {
    if (timer) clock.clearTimeout(timer);
    timer = undefined;
  };
  /** Polls the queue in the next turn of the event loop, so messages that arrive together form one batch. */
  const wake = (): void => {
    if (isWoken || isClosed) return;
    isWoken = true;
    void activity.track(async () => {
      await nextTurn();
      isWoken = false;
      poll();
    });
  };
  const poll = (): void => {
    while (!isClosed && running < maximumConcurrency) {
      const batch = queue.receive(batchSize);
      if (batch.length === 0) break;
      running += 1;
      void handle(batch);
    }
    // Sets a timer for the next message that becomes visible.
    disarm();
    const next = queue.nextVisibleAt();
    if (next !== undefined && !isClosed) timer = clock.setTimeout(wake, next - clock.now());
  };
  const handle = async (batch: QueueMessage[]): Promise<void> => {
    // Only the invocation counts as work in progress, because a test may pause it. A refused batch is delivered again.
    const result = await target()
      .invoke(sqsEvent(batch, queue, region))
      .catch(refusedResult);
    running -= 1;
    for (const { receiptHandle } of handledOf(batch, result, reportsFailures)) queue.delete(String(receiptHandle));
    wake();
  };
  return {
    start: (): void => queue.listen(wake),
    close: (): void => {
      isClosed = true;
      disarm();
    },
  };
}
