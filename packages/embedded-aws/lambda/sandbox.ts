import { type Clock, SystemClock, type TimerHandle } from '../time/clock.ts';
import type { LambdaLog, LambdaLogLine } from './log.ts';
import type { FunctionErrorBody, FunctionFacts, InvokeMessage, ThreadMessage } from './protocol.ts';
import type { SandboxThread, ThreadUser } from './sandbox-thread.ts';

/** The result of an invocation. `payload` is JSON: the function's result, or a description of its error. */
export interface InvocationResult {
  payload: string;
  functionError?: 'Unhandled';
}

/** How long a handler's module may take to load before an invocation. */
const LONGEST_INIT_SECONDS = 10;

/** Milliseconds between the deadline that a function sees and the moment when it is ended, for the messages between threads. */
const ENDED_AFTER_DEADLINE = 50;

export interface SandboxSettings {
  facts: FunctionFacts;
  /** The function's complete `process.env`. */
  environment: Record<string, string>;
  log: LambdaLog;
  /** Measures Timeout. Default: the machine's time, because a function takes real time even in virtual time. */
  timeoutClock?: Clock;
}

/** A function's loaded module in a thread. It is kept between invocations and shares the thread with other sandboxes. */
export class Sandbox implements ThreadUser {
  readonly thread: SandboxThread;
  readonly #settings: SandboxSettings;
  readonly #clock: Clock;
  readonly #id: number;
  readonly #loaded = Promise.withResolvers<void>();
  #finish: ((result: InvocationResult) => void) | undefined;
  #requestId = '';
  #isOutOfMemory = false;

  /** Starts to load the function's module. */
  constructor(settings: SandboxSettings, thread: SandboxThread) {
    this.#settings = settings;
    this.#clock = settings.timeoutClock ?? new SystemClock();
    this.thread = thread;
    const { facts, environment } = settings;
    thread.use(this);
    this.#id = thread.load({ facts, environment });
  }

  get isBroken(): boolean {
    return this.thread.isBroken;
  }

  /**
   * Resolves when the module is loaded or has thrown. If it has thrown, every invocation fails with the reason. Resolves with false, and
   * the thread ends, if that takes more than ten seconds or ends the runtime. Lambda then loads the module again in another environment, as
   * part of the invocation (Lambda Developer Guide, "Understanding the Lambda execution environment lifecycle").
   */
  async init(): Promise<boolean> {
    this.thread.use(this);
    const over = Promise.withResolvers<boolean>();
    const timer = this.#clock.setTimeout(() => over.resolve(false), LONGEST_INIT_SECONDS * 1000);
    const isLoaded = await Promise.race([this.#loaded.promise.then(() => true), over.promise]);
    this.#clock.clearTimeout(timer);
    if (isLoaded) return !this.isBroken;
    this.#log('platform', `INIT_REPORT Init Duration: ${LONGEST_INIT_SECONDS}000.00 ms Phase: init Status: timeout`);
    void this.thread.end();
    return false;
  }

  /** Invokes the function, and loads it first if necessary. If `killed` aborts first, the result is `Runtime.ExitError`. */
  async invoke(message: Pick<InvokeMessage, 'requestId' | 'payload'>, killed?: AbortSignal): Promise<InvocationResult> {
    this.thread.use(this);
    this.#requestId = message.requestId;
    const finished = Promise.withResolvers<InvocationResult>();
    this.#finish = finished.resolve;
    const { timeout } = this.#settings.facts;
    const deadline = performance.timeOrigin + performance.now() + timeout * 1000 - ENDED_AFTER_DEADLINE;
    const timer = this.#limit(timeout);
    const kill = () => this.#kill();
    killed?.addEventListener('abort', kill);
    try {
      await Promise.race([this.#loaded.promise, finished.promise]);
      if (!this.isBroken) this.thread.invoke({ ...message, sandbox: this.#id, deadline });
      return await finished.promise;
    } finally {
      killed?.removeEventListener('abort', kill);
      this.#clock.clearTimeout(timer);
      this.#finish = undefined;
    }
  }

  receive(message: ThreadMessage): void {
    if (message.type === 'loaded') this.#loaded.resolve();
    else if (message.type === 'outOfMemory') this.#kill(true);
    else if (message.type === 'result') this.#finish?.({ payload: message.payload });
    else if (message.type === 'failure') this.#fail(message.error);
    else this.#log(message.stream, message.line, message.requestId);
  }

  failed(error: NodeJS.ErrnoException): void {
    this.#isOutOfMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    this.#log(this.#isOutOfMemory ? 'platform' : 'stderr', error.stack ?? String(error));
  }

  /** A runtime that is killed for its memory has an error type of its own (Lambda Telemetry API, `platform.report`). */
  exited(code: number | 'killed'): void {
    const how = this.#isOutOfMemory || code === 'killed' ? 'signal: killed' : `exit status ${code}`;
    const errorMessage = `RequestId: ${this.#requestId} Error: Runtime exited with error: ${how}`;
    this.#loaded.resolve();
    this.#fail({ errorType: this.#isOutOfMemory ? 'Runtime.OutOfMemory' : 'Runtime.ExitError', errorMessage });
  }

  #kill(isOutOfMemory = false): void {
    this.#isOutOfMemory = isOutOfMemory;
    void this.thread.end();
    this.exited('killed');
  }

  #limit(seconds: number): TimerHandle {
    return this.#clock.setTimeout(() => {
      const errorMessage = `RequestId: ${this.#requestId} Error: Task timed out after ${seconds.toFixed(2)} seconds`;
      this.#log('platform', errorMessage);
      void this.thread.end();
      this.#fail({ errorType: 'Sandbox.Timedout', errorMessage });
    }, seconds * 1000);
  }

  #fail(error: FunctionErrorBody): void {
    this.#finish?.({ payload: JSON.stringify(error), functionError: 'Unhandled' });
  }

  #log(stream: LambdaLogLine['stream'], line: string, requestId = this.#requestId): void {
    const { functionName } = this.#settings.facts;
    this.#settings.log.add({ functionName, requestId, stream, line });
  }
}
