import type { LambdaLog, LambdaLogLine } from './log.ts';
import type { FunctionErrorBody, FunctionFacts, InvokeMessage, ThreadMessage } from './protocol.ts';
import type { SandboxThread, ThreadUser } from './sandbox-thread.ts';

/** The result of an invocation. `payload` is JSON: the function's result or its error. */
export interface InvocationResult {
  payload: string;
  functionError?: 'Unhandled';
}

/** A function's deadline is this much earlier than its timeout, because messages between threads take time. Milliseconds. */
const ENDED_AFTER_DEADLINE = 50;

export interface SandboxSettings {
  facts: FunctionFacts;
  environment: Record<string, string>;
  log: LambdaLog;
}

/** A function's module in a thread. It stays loaded between invocations. Several sandboxes share a thread. */
export class Sandbox implements ThreadUser {
  readonly thread: SandboxThread;
  readonly #settings: SandboxSettings;
  readonly #id: number;
  readonly #loaded = Promise.withResolvers<void>();
  #finish: ((result: InvocationResult) => void) | undefined;
  #requestId = '';
  #isOutOfMemory = false;

  constructor(settings: SandboxSettings, thread: SandboxThread) {
    this.#settings = settings;
    this.thread = thread;
    const { facts, environment } = settings;
    thread.use(this);
    this.#id = thread.load({ facts, environment });
  }

  /** Resolves when the module is loaded or loading has failed, or the thread has ended. After a failure, every invocation fails. */
  async init(): Promise<void> {
    this.thread.use(this);
    await this.#loaded.promise;
  }

  /** Invokes the function after `init`. If `killed` aborts first, the result is `Runtime.ExitError`. */
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
      if (this.thread.isBroken) this.exited('killed');
      else this.thread.invoke({ ...message, sandbox: this.#id, deadline });
      return await finished.promise;
    } finally {
      killed?.removeEventListener('abort', kill);
      clearTimeout(timer);
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

  /** Running out of memory has its own error type (Lambda Telemetry API, `platform.report`). */
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

  /** Starts the timeout. It is in real time, because functions take real time even with a virtual clock. */
  #limit(seconds: number): NodeJS.Timeout {
    return setTimeout(() => {
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
