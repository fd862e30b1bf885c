import type { DeliveryWrapper, EntryRefusal } from './events/bus.ts';
import type { InvokeWrapper } from './lambda/function.ts';
import type { LambdaLogLine } from './lambda/log.ts';
import type { RequestWrapper } from './request-wrapper.ts';
import type { Clock } from './time/clock.ts';

export interface LocalAwsOptions {
  /** The folder of a synthesized cloud assembly, with manifest.json. */
  assemblyDirectory: string;
  /** The port on 127.0.0.1. Default: 0, any free one. */
  port?: number;
  /** Default: a SystemClock. */
  clock?: Clock;
  /** Called with each log line of a function. */
  onLog?: (line: LambdaLogLine) => void;
  /** Environment variables for every function. They override those of the template. */
  functionEnvironment?: Record<string, string>;
  /** Whether schedules wait for `startSchedules`, for example until secrets have values. Default: no. */
  holdSchedules?: boolean;
  /** The maximum number of invocations of one function that run at the same time. Others wait. Default: 4. */
  lambdaConcurrency?: number;
  /**
   * The maximum number of threads for each memory size, or in total with `lambdaMemory`. Default: 3. Several functions share a thread, which
   * runs one invocation at a time. A thread does not count while its invocation waits, such as for a call, for more than a second. With
   * `one for each sandbox`, killing a function does not affect other functions.
   */
  lambdaThreads?: number | 'one for each sandbox';
  /** The limit of each thread in MiB; all functions then share one pool. Default: each memory size has its own threads, with that limit. */
  lambdaMemory?: number;
  /** How far each new thread's clock is ahead of a virtual clock, to simulate clock skew between machines. Milliseconds. Default: 0. */
  clockSkew?: (functionName: string) => number;
  /** Wraps every invocation of a function, to inject faults. */
  invokeWrapper?: InvokeWrapper;
  /** Wraps every request to a service, to throttle, fail or lose one. */
  requestWrapper?: RequestWrapper;
  /** Wraps every delivery to the target of a rule or schedule, to delay, duplicate or lose one. */
  deliveryWrapper?: DeliveryWrapper;
  /** Refuses single entries of PutEvents. */
  entryRefusal?: EntryRefusal;
}
