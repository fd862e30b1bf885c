import type { DeliveryWrapper, EntryRefusal } from './events/bus.ts';
import type { InvokeWrapper } from './lambda/function.ts';
import type { LambdaLogLine } from './lambda/log.ts';
import type { JsonObject } from './protocol/operation.ts';
import type { RequestWrapper } from './request-wrapper.ts';
import type { Clock } from './time/clock.ts';

export interface LocalAwsOptions {
  /** A synthesized cloud assembly: the folder with manifest.json. */
  assemblyDirectory: string;
  /** The port on 127.0.0.1. Default: 0, any free one. */
  port?: number;
  /** Default: the machine's time. */
  clock?: Clock;
  /** Called with each line that a function writes. */
  onLog?: (line: LambdaLogLine) => void;
  /** Environment variables for every function. They override those of the template. */
  functionEnvironment?: Record<string, string>;
  /** Policy statements for every function's role, in addition to those of the template. */
  functionStatements?: JsonObject[];
  /** Whether schedules wait for `startSchedules`, so that secrets can be filled first. Default: no. */
  holdSchedules?: boolean;
  /** How many invocations of one function may run at once. Further ones wait. Default: 4. */
  lambdaConcurrency?: number;
  /**
   * How many threads run the functions of one memory size, or with `lambdaMemory` all. Default: 3. A thread holds sandboxes of several functions and runs one invocation at a time.
   * The thread of an invocation that has waited most of its time, for at least a second, is not counted. With
   * `one for each sandbox`, killing a function does not affect the sandboxes of others.
   */
  lambdaThreads?: number | 'one for each sandbox';
  /** MiB. Functions of all sizes share threads of this size. Default: those of each size have their own, and are held to it. */
  lambdaMemory?: number;
  /** How far the clock of each new thread is ahead of a virtual clock, as the clocks of two machines differ. Milliseconds. Default: 0. */
  clockSkew?: (functionName: string) => number;
  /** Wraps every attempt to run a function: the place to inject faults. */
  invokeWrapper?: InvokeWrapper;
  /** Wraps every request to a service: the place to throttle, fail or lose one. */
  requestWrapper?: RequestWrapper;
  /** Wraps every delivery of an event to a rule's target: the place to delay or duplicate one. */
  deliveryWrapper?: DeliveryWrapper;
  /** Refuses single entries of PutEvents: the place to fail one event of several. */
  entryRefusal?: EntryRefusal;
}
