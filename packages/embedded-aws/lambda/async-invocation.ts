import { randomUUID } from 'node:crypto';
import type { Json } from '../protocol/operation.ts';
import type { MessageAttribute } from '../sqs/queue.ts';
import type { Clock } from '../time/clock.ts';
import { type LambdaFunction, refused } from './function.ts';
import type { InvocationResult } from './sandbox.ts';

/** Sends one message to a queue. */
export type SendToQueue = (body: string, attributes?: Record<string, MessageAttribute>) => void;

/** The settings of an EventInvokeConfig. */
export interface AsyncInvokeSettings {
  maximumRetryAttempts: number;
  maximumEventAgeSeconds: number;
  onFailure?: SendToQueue | undefined;
}

export const DEFAULT_ASYNC_INVOKE: AsyncInvokeSettings = { maximumRetryAttempts: 2, maximumEventAgeSeconds: 21_600 };

/** Lambda waits one minute before the second attempt and two minutes before the third. */
const RETRY_DELAY_SECONDS = [60, 120];

/** A throttled event is tried again after one second, and after twice as long each time, up to five minutes. */
const FIRST_THROTTLED_DELAY_SECONDS = 1;
const LONGEST_THROTTLED_DELAY_SECONDS = 300;

/** Invokes a function with an event, retries as configured, and sends a failure to the configured destination. */
export class AsyncInvocation {
  readonly #function: LambdaFunction;
  readonly #settings: AsyncInvokeSettings;
  readonly #clock: Clock;
  readonly #payload: string;
  readonly #acceptedAt: number;
  readonly #requestId = randomUUID();
  #attempts = 0;
  #throttledDelay = FIRST_THROTTLED_DELAY_SECONDS;

  constructor(lambdaFunction: LambdaFunction, settings: AsyncInvokeSettings, clock: Clock, payload: string) {
    this.#function = lambdaFunction;
    this.#settings = settings;
    this.#clock = clock;
    this.#payload = payload;
    this.#acceptedAt = clock.now();
  }

  /**
   * Resolves after this attempt. A retry waits on the clock. A throttled invocation is not an attempt: a throttled event is retried until
   * it is too old.
   */
  async attempt(): Promise<void> {
    let isThrottled = false;
    const result = await this.#function.invoke(this.#payload, this.#requestId).catch((error: unknown) => {
      isThrottled = true;
      return refused(error);
    });
    if (!isThrottled) this.#attempts += 1;
    if (!result.functionError) return;
    const { maximumRetryAttempts, maximumEventAgeSeconds } = this.#settings;
    const delay = isThrottled ? this.#throttledDelay : (RETRY_DELAY_SECONDS[this.#attempts - 1] ?? 0);
    if (isThrottled) this.#throttledDelay = Math.min(2 * delay, LONGEST_THROTTLED_DELAY_SECONDS);
    if (!isThrottled && this.#attempts > maximumRetryAttempts) this.#giveUp('RetriesExhausted', result);
    else if (this.#ageAfter(delay) > maximumEventAgeSeconds) this.#giveUp('EventAgeExceeded', result);
    else this.#clock.setTimeout(() => void this.attempt(), delay * 1000);
  }

  #ageAfter(delay: number): number {
    return (this.#clock.now() - this.#acceptedAt) / 1000 + delay;
  }

  #giveUp(condition: string, result: InvocationResult): void {
    this.#settings.onFailure?.(this.#record(condition, result));
  }

  #record(condition: string, result: InvocationResult): string {
    return JSON.stringify({
      version: '1.0',
      timestamp: new Date(this.#clock.now()).toISOString(),
      requestContext: {
        requestId: this.#requestId,
        functionArn: `${this.#function.arn}:${this.#function.version}`,
        condition,
        approximateInvokeCount: this.#attempts,
      },
      requestPayload: JSON.parse(this.#payload) as Json,
      responseContext: {
        statusCode: 200,
        executedVersion: this.#function.version,
        functionError: result.functionError,
      },
      responsePayload: JSON.parse(result.payload) as Json,
    });
  }
}
