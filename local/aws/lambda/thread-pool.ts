import { type Carriage, SandboxThread } from './sandbox-thread.ts';

export interface ThreadPoolSettings {
  /** How many threads there are at the most; without a number each sandbox has a thread of its own. */
  threads: number | 'one for each sandbox';
  carriage?: Carriage;
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
  readonly #waiting: Waiting[] = [];
  #isClosed = false;

  constructor(settings: ThreadPoolSettings) {
    this.#settings = settings;
  }

  /** A thread for an invocation of this function: one that holds it if there is any, else any that may take it, else a new one. */
  acquire(functionName: string): SandboxThread | Promise<SandboxThread> {
    this.#forgetBroken();
    const { threads } = this.#settings;
    const isShared = threads !== 'one for each sandbox';
    const found =
      this.#idle.find((thread) => thread.functions.has(functionName)) ?? (isShared ? this.#idle[0] : undefined);
    if (found) {
      this.#idle = this.#idle.filter((thread) => thread !== found);
      return found;
    }
    if (!this.#isClosed && (!isShared || this.#all.size < threads)) return this.#start();
    return new Promise((resolve) => this.#waiting.push({ functionName, resolve }));
  }

  release(thread: SandboxThread): void {
    this.#idle.unshift(thread);
    const next = this.#isClosed ? undefined : this.#waiting.shift();
    if (next) void Promise.resolve(this.acquire(next.functionName)).then(next.resolve);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#all].map((thread) => thread.end()));
  }

  #start(): SandboxThread {
    const thread = new SandboxThread(this.#settings.carriage);
    this.#all.add(thread);
    return thread;
  }

  /** A thread may have broken while it was idle: a stray promise of a handler can end it. */
  #forgetBroken(): void {
    for (const thread of this.#all) if (thread.isBroken) this.#all.delete(thread);
    this.#idle = this.#idle.filter((thread) => !thread.isBroken);
  }
}
