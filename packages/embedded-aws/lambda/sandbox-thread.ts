import { Worker } from 'node:worker_threads';
import type { InvokeMessage, LoadMessage, ThreadData, ThreadMessage } from './protocol.ts';

/** The current user of a thread. It receives the thread's messages. */
export interface ThreadUser {
  receive(message: ThreadMessage): void;
  /** An uncaught error, which ends the thread. */
  failed(error: Error): void;
  exited(code: number): void;
}

/** MiB. A larger young generation would use more memory and save no time, because most objects of functions are short-lived. */
const YOUNG_GENERATION = 24;

/** Shorter invocations never count as waiting. Milliseconds. */
const LONG_AT_WORK = 1_000;
/** An invocation counts as waiting if its event loop was idle for more than this share of the time. */
const IDLE_SHARE = 0.75;
/** If the main event loop is busy for this share of the time, the invocation may be waiting for it, and does not count. */
const BUSY_SHARE = 0.7;

/** A worker thread with sandboxes, which use it one at a time. */
export class SandboxThread {
  isBroken = false;
  readonly functions = new Set<string>();
  readonly #worker: Worker;
  /** Event loop utilization of the thread and the main thread when the current invocation started. */
  #acquired = { at: 0, own: performance.eventLoopUtilization(), main: performance.eventLoopUtilization() };
  #user: ThreadUser | undefined;
  #sandboxes = 0;

  /** @param memoryMebibytes the limit for objects, and separately for buffers, which V8 does not count. */
  constructor(memoryMebibytes: number, time?: SharedArrayBuffer, skew = 0) {
    const workerData: ThreadData = { time, skew, memoryMebibytes };
    const file = new URL('./worker.ts', import.meta.url);
    this.#worker = new Worker(file, {
      workerData,
      env: compileCache(),
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION, maxOldGenerationSizeMb: memoryMebibytes },
      execArgv: [],
      argv: [],
    });
    this.#worker.on('message', (message: ThreadMessage) => this.#user?.receive(message));
    this.#worker.on('error', (error) => {
      // The thread exits soon, and must not get invocations until then.
      this.isBroken = true;
      this.#user?.failed(error as Error);
    });
    this.#worker.on('exit', (code) => {
      this.isBroken = true;
      this.#user?.exited(code);
    });
  }

  /** Starts the measurements for `isWaiting`. */
  acquire(): void {
    const own = this.#worker.performance.eventLoopUtilization();
    this.#acquired = { at: performance.now(), own, main: performance.eventLoopUtilization() };
  }

  /**
   * Whether the current invocation waits for something outside this process. Waiting for the main event loop or for a core does not count:
   * another thread would slow down both.
   */
  get isWaiting(): boolean {
    const { at, own, main } = this.#acquired;
    const elapsed = performance.now() - at;
    const { idle } = this.#worker.performance.eventLoopUtilization(own);
    const { utilization } = performance.eventLoopUtilization(main);
    return elapsed > LONG_AT_WORK && idle > IDLE_SHARE * elapsed && utilization < BUSY_SHARE;
  }

  use(user: ThreadUser): void {
    this.#user = user;
  }

  load(message: Omit<LoadMessage, 'type' | 'sandbox'>): number {
    this.#sandboxes += 1;
    this.functions.add(message.facts.functionName);
    this.#worker.postMessage({ type: 'load', sandbox: this.#sandboxes, ...message } satisfies LoadMessage);
    return this.#sandboxes;
  }

  invoke(message: Omit<InvokeMessage, 'type'>): void {
    this.#worker.postMessage({ type: 'invoke', ...message } satisfies InvokeMessage);
  }

  async end(): Promise<void> {
    this.isBroken = true;
    await this.#worker.terminate();
  }
}

/**
 * Environment variables for a compile cache that threads share, for faster cold starts, if `LOCAL_AWS_COMPILE_CACHE` names a folder.
 * The main thread does not use it: Node would write it at exit, when the folder may be gone.
 */
function compileCache(): Record<string, string> {
  const folder = process.env.LOCAL_AWS_COMPILE_CACHE;
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}
