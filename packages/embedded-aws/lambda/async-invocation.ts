import { randomUUID } from 'node:crypto';
import type { Json } from '../protocol/operation.ts';
import type { MessageAttribute } from '../sqs/queue.ts';
import type { Clock } from '../time/clock.ts';
import { type LambdaFunction, refusedResult } from './function.ts';
import type { InvocationResult } from './sandbox.ts';

export type SendToQueue = (body: string, attributes?: Record<string, MessageAttribute>) => void;

export interface AsyncInvokeSettings {
  maximumRetryAttempts: number;
  maximumEventAgeSeconds: number;
  onFailure?: SendToQueue | undefined;
}

export const DEFAULT_ASYNC_INVOKE: AsyncInvokeSettings = { maximumRetryAttempts: 2, maximumEventAgeSeconds: 21_600 };

/** Lambda waits one minute before the second attempt and two minutes before the third. */
const RETRY_DELAY_SECONDS = [60, 120];

/** The delay after throttling doubles with each attempt, from one second to five minutes. */
const FIRST_THROTTLED_DELAY_SECONDS = 1;
const LONGEST_THROTTLED_DELAY_SECONDS = 300;

/**
 * Invokes a function with an event, retries as configured, and sends a failure to the configured destination. Throttled invocations do not
 * count as attempts: they are retried until the event is too old.
 */
export function invokeAsync(
  target: LambdaFunction,
  settings: AsyncInvokeSettings,
  clock: Clock,
  payload: string,
): void {
  const { maximumRetryAttempts, maximumEventAgeSeconds, onFailure } = settings;
  const { functionArn, version } = target.facts;
  const [acceptedAt, requestId] = [clock.now(), randomUUID()];
  let attempts = 0;
  let throttledDelay = FIRST_THROTTLED_DELAY_SECONDS;
  const giveUp = (condition: string, { functionError, payload: answer }: InvocationResult) => {
    const record = {
      version: '1.0',
      timestamp: new Date(clock.now()).toISOString(),
      requestContext: {
        requestId,
        functionArn: `${functionArn}:${version}`,
        condition,
        approximateInvokeCount: attempts,
      },
      requestPayload: JSON.parse(payload) as Json,
      responseContext: { statusCode: 200, executedVersion: version, functionError },
      responsePayload: JSON.parse(answer) as Json,
    };
    onFailure?.(JSON.stringify(record));
  };
  const attempt = async (): Promise<void> => {
    let isThrottled = false;
    const result = await target.invoke(payload, requestId).catch((error: unknown) => {
      isThrottled = true;
      return refusedResult(error);
    });
    if (!isThrottled) attempts += 1;
    if (!result.functionError) return;
    const delay = isThrottled ? throttledDelay : (RETRY_DELAY_SECONDS[attempts - 1] ?? 0);
    if (isThrottled) throttledDelay = Math.min(2 * delay, LONGEST_THROTTLED_DELAY_SECONDS);
    const age = (clock.now() - acceptedAt) / 1000 + delay;
    if (!isThrottled && attempts > maximumRetryAttempts) giveUp('RetriesExhausted', result);
    else if (age > maximumEventAgeSeconds) giveUp('EventAgeExceeded', result);
    else clock.setTimeout(() => void attempt(), delay * 1000);
  };
  void attempt();
}
