import type { DeliveryWrapper } from './events/bus.ts';
import type { InvokeWrapper } from './lambda/function.ts';
import type { LambdaLogLine } from './lambda/log.ts';
import type { JsonObject } from './protocol/json.ts';
import type { RequestWrapper } from './request-wrapper.ts';
import type { Clock } from './time/clock.ts';

export interface LocalAwsOptions {
  /** A synthesized cloud assembly: the folder with manifest.json. */
  assemblyDirectory: string;
  /** The port on 127.0.0.1; 0, the default, is any free one. */
  port?: number;
  /** The machine's time by default. */
  clock?: Clock;
  /** Called with each line that a function writes. */
  onLog?: (line: LambdaLogLine) => void;
  /** Variables that every function gets besides, and over, those of the template. */
  functionEnvironment?: Record<string, string>;
  /** Statements that every function's role gets besides those of the template: for what `functionEnvironment` points it to. */
  functionStatements?: JsonObject[];
  /** Whether schedules wait for `startSchedules`, so that secrets can be filled before. No by default. */
  holdSchedules?: boolean;
  /** How many invocations of one function may run at once; the others wait. 4 by default. */
  lambdaConcurrency?: number;
  /**
   * How many threads run functions, 3 by default: each holds sandboxes of several functions and runs one invocation at a time. One that takes
   * longer than a second waits for somebody, and does not count. With `one for each sandbox` a function that is killed takes no other's
   * sandbox with it.
   */
  lambdaThreads?: number | 'one for each sandbox';
  /** Stands around every attempt to run a function: the place to inject faults. */
  invokeWrapper?: InvokeWrapper;
  /** Stands around every request to a service: the place to throttle, fail or lose one. */
  requestWrapper?: RequestWrapper;
  /** Stands around every delivery of an event to a rule's target: the place to delay or double one. */
  deliveryWrapper?: DeliveryWrapper;
}
