import { Worker } from 'node:worker_threads';
import { type Clock, SystemClock, type TimerHandle } from '../clock.ts';
import type { LambdaLog } from './log.ts';
import type { FunctionErrorBody, InvokeMessage, WorkerMessage, WorkerSettings } from './protocol.ts';

/** What an invocation came to; `payload` is JSON, and describes the error when there is one. */
export interface InvocationResult {
  payload: string;
  functionError?: 'Unhandled';
}

/** How long a handler's module may take to load. AWS gives ten seconds; a busy laptop gets more. */
const LONGEST_INIT_SECONDS = 60;

export interface SandboxSettings {
  worker: WorkerSettings;
  /** The whole of the function's `process.env`. */
  environment: Record<string, string>;
  log: LambdaLog;
  /** What to add to the machine's time, asked when an invocation begins: a cold start is over by then. */
  timeOffset: () => number;
  /** Measures Timeout. The machine's time by default, as a function's work takes real time even in virtual time. */
  timeoutClock?: Clock;
}

/** One worker thread with a function in it: the place of one invocation at a time, used again until it breaks. */
export class Sandbox {
  isBroken = false;
  readonly #settings: SandboxSettings;
  readonly #clock: Clock;
  readonly #worker: Worker;
  readonly #ready = Promise.withResolvers<void>();
  #finish: ((result: InvocationResult) => void) | undefined;
  #requestId = '';

  constructor(settings: SandboxSettings) {
    this.#settings = settings;
    this.#clock = settings.timeoutClock ?? new SystemClock();
    const { worker: workerData, environment } = settings;
    const file = new URL('./worker.ts', import.meta.url);
    const env = { ...environment, ...compileCache() };
    this.#worker = new Worker(file, { workerData, env, execArgv: [], argv: [] });
    this.#worker.on('message', (message: WorkerMessage) => this.#receive(message));
    this.#worker.on('error', (error) => {
      // Its exit follows; no invocation may get into it until then.
      this.isBroken = true;
      this.#log('stderr', error.stack ?? String(error));
    });
    this.#worker.on('exit', (code) => this.#exited(code));
  }

  /** Ends with `Runtime.ExitError` when `killed` aborts before the function has finished. */
  async invoke(message: Omit<InvokeMessage, 'timeOffset'>, killed?: AbortSignal): Promise<InvocationResult> {
    this.#requestId = message.requestId;
    const finished = Promise.withResolvers<InvocationResult>();
    this.#finish = finished.resolve;
    const init = this.#limit(LONGEST_INIT_SECONDS);
    await Promise.race([this.#ready.promise, finished.promise]);
    this.#clock.clearTimeout(init);
    const timer = this.#limit(this.#settings.worker.timeout);
    const kill = () => this.#kill();
    killed?.addEventListener('abort', kill);
    if (!this.isBroken) this.#worker.postMessage({ ...message, timeOffset: this.#settings.timeOffset() });
    try {
      return await finished.promise;
    } finally {
      killed?.removeEventListener('abort', kill);
      this.#clock.clearTimeout(timer);
      this.#finish = undefined;
    }
  }

  async close(): Promise<void> {
    this.isBroken = true;
    await this.#worker.terminate();
  }

  #kill(): void {
    this.isBroken = true;
    void this.#worker.terminate();
    this.#exited('killed');
  }

  #limit(seconds: number): TimerHandle {
    return this.#clock.setTimeout(() => {
      this.isBroken = true;
      const errorMessage = `RequestId: ${this.#requestId} Error: Task timed out after ${seconds.toFixed(2)} seconds`;
      this.#log('stderr', errorMessage);
      void this.#worker.terminate();
      this.#fail({ errorType: 'Sandbox.Timedout', errorMessage });
    }, seconds * 1000);
  }

  #receive(message: WorkerMessage): void {
    const { functionName } = this.#settings.worker;
    if (message.type === 'ready') this.#ready.resolve();
    else if (message.type === 'result') this.#finish?.({ payload: message.payload });
    else if (message.type === 'failure') this.#fail(message.error);
    else {
      const { requestId, stream, line } = message;
      this.#settings.log.add({ functionName, requestId, stream, line });
    }
  }

  #exited(code: number | 'killed'): void {
    this.isBroken = true;
    const errorMessage = `RequestId: ${this.#requestId} Error: Runtime exited with error: exit status ${code}`;
    this.#fail({ errorType: 'Runtime.ExitError', errorMessage });
  }

  #fail(error: FunctionErrorBody): void {
    this.#finish?.({ payload: JSON.stringify(error), functionError: 'Unhandled' });
  }

  #log(stream: 'stdout' | 'stderr', line: string): void {
    const { functionName } = this.#settings.worker;
    this.#settings.log.add({ functionName, requestId: this.#requestId, stream, line });
  }
}

/**
 * Sandboxes share what they have compiled where this process is told a folder for it: a cold start is less work then. The process itself
 * keeps nothing there, since it would write when it ends, and the folder may be gone by then.
 */
function compileCache(): Record<string, string> {
  const folder = process.env.LOCAL_AWS_COMPILE_CACHE;
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}
