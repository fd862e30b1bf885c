import { type Clock, SystemClock, type TimerHandle } from '../time/clock.ts';
import type { LambdaLog, LambdaLogLine } from './log.ts';
import type { FunctionErrorBody, FunctionFacts, InvokeMessage, ThreadMessage } from './protocol.ts';
import type { SandboxThread, ThreadUser } from './sandbox-thread.ts';

/** The result of an invocation. `payload` is JSON: the function's result, or a description of its error. */
export interface InvocationResult {
  payload: string;
  functionError?: 'Unhandled';
}

/** How long a handler's module may take to load. AWS allows ten seconds; a busy laptop needs more. */
const LONGEST_INIT_SECONDS = 60;

/** Milliseconds between the deadline that a function sees and its end: time for the messages between threads. */
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

  /** Resolves when the module is loaded or has failed to load. In the latter case, every invocation fails with the reason. */
  async loaded(): Promise<void> {
    await this.#loaded.promise;
  }

  /** Invokes the function. If `killed` aborts first, the result is `Runtime.ExitError`. */
  async invoke(message: Pick<InvokeMessage, 'requestId' | 'payload'>, killed?: AbortSignal): Promise<InvocationResult> {
    this.thread.use(this);
    this.#requestId = message.requestId;
    const finished = Promise.withResolvers<InvocationResult>();
    this.#finish = finished.resolve;
    const init = this.#limit(LONGEST_INIT_SECONDS);
    await Promise.race([this.#loaded.promise, finished.promise]);
    this.#clock.clearTimeout(init);
    const { timeout } = this.#settings.facts;
    const deadline = performance.timeOrigin + performance.now() + timeout * 1000 - ENDED_AFTER_DEADLINE;
    const timer = this.#limit(timeout);
    const kill = () => this.#kill();
    killed?.addEventListener('abort', kill);
    if (!this.isBroken) this.thread.invoke({ ...message, sandbox: this.#id, deadline });
    try {
      return await finished.promise;
    } finally {
      killed?.removeEventListener('abort', kill);
      this.#clock.clearTimeout(timer);
      this.#finish = undefined;
    }
  }

  receive(message: ThreadMessage): void {
    if (message.type === 'loaded') this.#loaded.resolve();
    else if (message.type === 'result') this.#finish?.({ payload: message.payload });
    else if (message.type === 'failure') this.#fail(message.error);
    else this.#log(message.stream, message.line, message.requestId);
  }

  failed(error: Error): void {
    this.#log('stderr', error.stack ?? String(error));
  }

  exited(code: number | 'killed'): void {
    const errorMessage = `RequestId: ${this.#requestId} Error: Runtime exited with error: exit status ${code}`;
    this.#loaded.resolve();
    this.#fail({ errorType: 'Runtime.ExitError', errorMessage });
  }

  #kill(): void {
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
