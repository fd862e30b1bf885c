import { type Carriage, SandboxThread } from './sandbox-thread.ts';

/** Milliseconds. A thread that has been at one invocation for longer waits for somebody, and leaves the cores to another. */
const LONG_AT_WORK = 1_000;

export interface ThreadPoolSettings {
  /** How many threads are at work at the most, those apart that wait; without a number each sandbox has a thread of its own. */
  threads: number | 'one for each sandbox';
  carriage?: Carriage;
  /** What a virtual clock shares with threads: their functions live in its time. */
  time?: SharedArrayBuffer | undefined;
}

interface Waiting {
  functionName: string;
  resolve: (thread: SandboxThread) => void;
}

/** The threads in which functions run: one invocation has a thread for itself, and gives it back. */
export class ThreadPool {
  readonly #settings: ThreadPoolSettings;
  readonly #all = new Set<SandboxThread>();
  /** The one that was used last comes first: it is the likeliest to hold what is asked for next. */
  #idle: SandboxThread[] = [];
  /** When each thread that is taken was taken. */
  readonly #takenAt = new Map<SandboxThread, number>();
  readonly #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(settings: ThreadPoolSettings) {
    this.#settings = settings;
  }

  /** A thread for an invocation of this function: one that holds it if there is any, else any that may take it, else a new one. */
  async acquire(functionName: string): Promise<SandboxThread> {
    const found = this.#take(functionName);
    if (found) return found;
    const waiting = Promise.withResolvers<SandboxThread>();
    this.#waiting.push({ functionName, resolve: waiting.resolve });
    this.#lookAgainLater();
    return waiting.promise;
  }

  release(thread: SandboxThread): void {
    this.#takenAt.delete(thread);
    this.#idle.unshift(thread);
    this.#serveWaiting();
    this.#endSurplus();
  }

  /** Undefined where the function must wait. */
  #take(functionName: string): SandboxThread | undefined {
    if (this.#isClosed) return undefined;
    this.#forgetBroken();
    const isShared = this.#settings.threads !== 'one for each sandbox';
    const idle =
      this.#idle.find((thread) => thread.functions.has(functionName)) ?? (isShared ? this.#idle[0] : undefined);
    const thread = idle ?? (this.#hasRoom() ? this.#start() : undefined);
    if (!thread) return undefined;
    this.#idle = this.#idle.filter((other) => other !== thread);
    this.#takenAt.set(thread, performance.now());
    return thread;
  }

  #hasRoom(): boolean {
    const { threads } = this.#settings;
    if (threads === 'one for each sandbox') return true;
    const longAgo = performance.now() - LONG_AT_WORK;
    const atWork = [...this.#takenAt.values()].filter((takenAt) => takenAt > longAgo).length;
    return this.#idle.length + atWork < threads;
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

  /** As long as somebody waits: a thread that is taken now may be one that waits, later. */
  #lookAgainLater(): void {
    if (this.#timer || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#serveWaiting();
    }, LONG_AT_WORK / 4);
    this.#timer.unref();
  }

  /** Threads that were started beside others that waited are not needed once those are back. */
  #endSurplus(): void {
    const { threads } = this.#settings;
    if (threads === 'one for each sandbox') return;
    while (this.#idle.length > 0 && this.#idle.length + this.#takenAt.size > threads) {
      const surplus = this.#idle.pop() as SandboxThread;
      this.#all.delete(surplus);
      void surplus.end();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    // Invocations that wait for their turn never get it: nobody is there any more to be told.
    this.#waiting.length = 0;
    await Promise.all([...this.#all].map((thread) => thread.end()));
  }

  #start(): SandboxThread {
    const { carriage, time } = this.#settings;
    const thread = new SandboxThread(carriage, time);
    this.#all.add(thread);
    return thread;
  }

  /** A thread may have broken while it was idle: a stray promise of a handler can end it. */
  #forgetBroken(): void {
    for (const thread of this.#all) if (thread.isBroken) this.#all.delete(thread);
    this.#idle = this.#idle.filter(({ isBroken }) => !isBroken);
  }
}
