import { Worker } from 'node:worker_threads';
import type { InvokeMessage, LoadMessage, ThreadData, ThreadMessage } from './protocol.ts';

/** The current user of a thread. It gets the thread's messages. */
export interface ThreadUser {
  receive(message: ThreadMessage): void;
  /** An uncaught error, which ends the thread. */
  failed(error: Error): void;
  exited(code: number): void;
}

/** MiB. Functions create mostly short-lived objects. A larger young generation would use more memory and save no time. */
const YOUNG_GENERATION = 24;

/** Milliseconds. A shorter invocation never counts as waiting. */
const LONG_AT_WORK = 1_000;
/** The share of an invocation's time that the thread's event loop must be idle, if the invocation waits. */
const IDLE_SHARE = 0.75;
/** If the event loop of this process is busy for this share of the time, the invocation may wait for it. */
const BUSY_SHARE = 0.7;

/** A worker thread that holds sandboxes. One sandbox at a time uses it. */
export class SandboxThread {
  isBroken = false;
  readonly functions = new Set<string>();
  readonly #worker: Worker;
  /** The use of both event loops when the current invocation acquired the thread. */
  #acquired = { at: 0, own: performance.eventLoopUtilization(), main: performance.eventLoopUtilization() };
  #user: ThreadUser | undefined;
  #sandboxes = 0;

  /** @param memoryMebibytes for the objects of its functions, and again for their buffers, which V8 does not count. */
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
      // The thread exits soon. Until then it must get no invocation.
      this.isBroken = true;
      this.#user?.failed(error as Error);
    });
    this.#worker.on('exit', (code) => {
      this.isBroken = true;
      this.#user?.exited(code);
    });
  }

  /** Begins to measure how the current invocation uses the thread. */
  acquire(): void {
    const own = this.#worker.performance.eventLoopUtilization();
    this.#acquired = { at: performance.now(), own, main: performance.eventLoopUtilization() };
  }

  /**
   * Whether the current invocation waits for something outside this process. A thread that waits for this process's event loop, or for a
   * core, does not: with another thread beside it, both would take longer.
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

  /** Creates a sandbox and returns its number in this thread. */
  load(message: Omit<LoadMessage, 'type' | 'sandbox'>): number {
    this.#sandboxes += 1;
    this.functions.add(message.facts.functionName);
    this.#worker.postMessage({ type: 'load', sandbox: this.#sandboxes, ...message } satisfies LoadMessage);
    return this.#sandboxes;
  }

  invoke(message: Omit<InvokeMessage, 'type'>): void {
    this.#worker.postMessage({ type: 'invoke', ...message } satisfies InvokeMessage);
  }

  /** Ends the thread at once, with everything that runs in it. */
  async end(): Promise<void> {
    this.isBroken = true;
    await this.#worker.terminate();
  }
}

/**
 * Environment variables that let threads share a compile cache, for faster cold starts, if `LOCAL_AWS_COMPILE_CACHE` names a folder.
 * The process itself does not use it: Node writes the cache when the process ends, and the folder may be gone by then.
 */
function compileCache(): Record<string, string> {
  const folder = process.env.LOCAL_AWS_COMPILE_CACHE;
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}
