import { type Clock, SystemClock, type TimerHandle } from '../time/clock.ts';
import type { LambdaLog } from './log.ts';
import type { FunctionErrorBody, FunctionFacts, InvokeMessage, ThreadMessage } from './protocol.ts';
import type { SandboxThread, ThreadUser } from './sandbox-thread.ts';

/** What an invocation came to; `payload` is JSON, and describes the error when there is one. */
export interface InvocationResult {
  payload: string;
  functionError?: 'Unhandled';
}

/** How long a handler's module may take to load. AWS gives ten seconds; a busy laptop gets more. */
const LONGEST_INIT_SECONDS = 60;

/** Milliseconds. A function that acts just before its deadline has this long to do so, however slow the messages between threads are. */
const ENDED_AFTER_DEADLINE = 50;

export interface SandboxSettings {
  facts: FunctionFacts;
  /** The whole of the function's `process.env`. */
  environment: Record<string, string>;
  log: LambdaLog;
  /** Measures Timeout. The machine's time by default, as a function's work takes real time even in virtual time. */
  timeoutClock?: Clock;
}

/** A function's module in a thread, kept between invocations until its thread breaks. It takes turns with the thread's other sandboxes. */
export class Sandbox implements ThreadUser {
  readonly thread: SandboxThread;
  readonly #settings: SandboxSettings;
  readonly #clock: Clock;
  readonly #id: number;
  readonly #loaded = Promise.withResolvers<void>();
  #finish: ((result: InvocationResult) => void) | undefined;
  #requestId = '';

  /** Begins to load the function's module. */
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

  /** Resolves when the module is loaded, or can't be: then every invocation says why. */
  async loaded(): Promise<void> {
    await this.#loaded.promise;
  }

  /** Ends with `Runtime.ExitError` when `killed` aborts before the function has finished. */
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
      this.#log('stderr', errorMessage);
      void this.thread.end();
      this.#fail({ errorType: 'Sandbox.Timedout', errorMessage });
    }, seconds * 1000);
  }

  #fail(error: FunctionErrorBody): void {
    this.#finish?.({ payload: JSON.stringify(error), functionError: 'Unhandled' });
  }

  #log(stream: 'stdout' | 'stderr', line: string, requestId = this.#requestId): void {
    const { functionName } = this.#settings.facts;
    this.#settings.log.add({ functionName, requestId, stream, line });
  }
}
