import { SandboxThread } from './sandbox-thread.ts';

/** How often to check whether busy threads are waiting. Milliseconds. */
const LOOK_AT_WAITING = 250;

export interface ThreadPoolSettings {
  /** The maximum number of threads, not counting those whose invocation waits. */
  threads: number | 'one for each sandbox';
  memoryMebibytes: number;
  /** The current time of a virtual clock, for functions in the threads. */
  time?: SharedArrayBuffer | undefined;
  /** How far a new thread's clock is ahead of virtual time. Milliseconds. `functionName` is the thread's first function. */
  clockSkew?: ((functionName: string) => number) | undefined;
}

interface Waiting {
  functionName: string;
  resolve: (thread: SandboxThread) => void;
}

/** The threads that run the functions of one memory size. Each invocation acquires a thread and releases it. */
export class ThreadPool {
  readonly #settings: ThreadPoolSettings;
  /** The maximum number of threads. Infinity means that each sandbox has its own thread. */
  readonly #most: number;
  readonly #all = new Set<SandboxThread>();
  /** Most recently used first. */
  #idle: SandboxThread[] = [];
  readonly #busy = new Set<SandboxThread>();
  readonly #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(settings: ThreadPoolSettings) {
    this.#settings = settings;
    this.#most = settings.threads === 'one for each sandbox' ? Number.POSITIVE_INFINITY : settings.threads;
  }

  /** Acquires a thread: preferably one that has loaded the function, else an idle or new one. Waits if none is available. */
  async acquire(functionName: string): Promise<SandboxThread> {
    const found = this.#take(functionName);
    if (found) return found;
    const waiting = Promise.withResolvers<SandboxThread>();
    this.#waiting.push({ functionName, resolve: waiting.resolve });
    this.#lookAgainLater();
    return waiting.promise;
  }

  release(thread: SandboxThread): void {
    this.#busy.delete(thread);
    this.#idle.unshift(thread);
    this.#serveWaiting();
    this.#endSurplus();
  }

  #take(functionName: string): SandboxThread | undefined {
    if (this.#isClosed) return undefined;
    this.#forgetBroken();
    const holder = this.#idle.find((thread) => thread.functions.has(functionName));
    const idle = holder ?? (this.#most === Number.POSITIVE_INFINITY ? undefined : this.#idle[0]);
    const thread = idle ?? (this.#hasRoom() ? this.#start(functionName) : undefined);
    if (!thread) return undefined;
    this.#idle = this.#idle.filter((other) => other !== thread);
    this.#busy.add(thread);
    thread.acquire();
    return thread;
  }

  #hasRoom(): boolean {
    const atWork = [...this.#busy].filter(({ isWaiting }) => !isWaiting);
    return this.#idle.length + atWork.length < this.#most;
  }

  #serveWaiting(): void {
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      const thread = this.#take(next.functionName);
      if (!thread) {
        this.#lookAgainLater();
        return;
      }
      this.#waiting.shift();
      next.resolve(thread);
    }
  }

  /** Tries again later, because a busy thread may start to wait, and then no longer counts. */
  #lookAgainLater(): void {
    if (this.#timer || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#serveWaiting();
    }, LOOK_AT_WAITING);
    this.#timer.unref();
  }

  /**
   * Ends idle threads beyond the maximum, which were started while others waited. Those with the fewest functions end first.
   */
  #endSurplus(): void {
    while (this.#idle.length > 0 && this.#idle.length + this.#busy.size > this.#most) {
      const surplus = this.#idle.reduce((least, other) =>
        other.functions.size <= least.functions.size ? other : least,
      );
      this.#idle = this.#idle.filter((thread) => thread !== surplus);
      this.#all.delete(surplus);
      void surplus.end();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    // Waiting invocations are dropped.
    this.#waiting.length = 0;
    await Promise.all([...this.#all].map((thread) => thread.end()));
  }

  #start(functionName: string): SandboxThread {
    const { memoryMebibytes, time, clockSkew } = this.#settings;
    const thread = new SandboxThread(memoryMebibytes, time, clockSkew?.(functionName));
    this.#all.add(thread);
    return thread;
  }

  /** Removes threads that ended while idle, for example because of an unhandled rejection. */
  #forgetBroken(): void {
    for (const thread of this.#all) if (thread.isBroken) this.#all.delete(thread);
    this.#idle = this.#idle.filter(({ isBroken }) => !isBroken);
  }
}
