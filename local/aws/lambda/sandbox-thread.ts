import { MessageChannel, Worker } from 'node:worker_threads';
import type { Serve } from '../transport/http.ts';
import { servePort } from '../transport/port-server.ts';
import type { InvokeMessage, LoadMessage, ThreadData, ThreadMessage } from './protocol.ts';

/** Whose turn it is in a thread: it gets what comes from there. */
export interface ThreadUser {
  receive(message: ThreadMessage): void;
  /** An error that nobody caught: the thread ends by it. */
  failed(error: Error): void;
  exited(code: number): void;
}

/** How requests of a thread's functions reach the embedded AWS without a socket. */
export interface Carriage {
  /** `host:port` of the endpoint. */
  host: string;
  serve: Serve;
}

/** MiB. Nearly everything that functions make is short-lived: more room for it costs memory in each thread, and saves no time. */
const YOUNG_GENERATION = 24;

/** A worker thread in which sandboxes live, and one of them at a time has its turn. */
export class SandboxThread {
  isBroken = false;
  /** Which functions have a sandbox here. */
  readonly functions = new Set<string>();
  readonly #worker: Worker;
  #user: ThreadUser | undefined;
  #sandboxes = 0;

  constructor(carriage?: Carriage, time?: SharedArrayBuffer) {
    const { port1: ours, port2: theirs } = new MessageChannel();
    const workerData: ThreadData = { time, ...(carriage && { aws: { host: carriage.host, port: theirs } }) };
    const file = new URL('./worker.ts', import.meta.url);
    this.#worker = new Worker(file, {
      workerData,
      transferList: carriage ? [theirs] : [],
      env: compileCache(),
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION },
      execArgv: [],
      argv: [],
    });
    if (carriage) servePort(ours, carriage.serve);
    // The worker keeps the process alive; a port that is still open must not.
    ours.unref();
    this.#worker.on('message', (message: ThreadMessage) => this.#user?.receive(message));
    this.#worker.on('error', (error) => {
      // Its exit follows; no invocation may get into it until then.
      this.isBroken = true;
      this.#user?.failed(error as Error);
    });
    this.#worker.on('exit', (code) => {
      this.isBroken = true;
      ours.close();
      this.#user?.exited(code);
    });
  }

  /** From here on the thread is this one's, until it is another's. */
  use(user: ThreadUser): void {
    this.#user = user;
  }

  /** Makes a sandbox; answers how it is named in this thread. */
  load(message: Omit<LoadMessage, 'type' | 'sandbox'>): number {
    this.#sandboxes += 1;
    this.functions.add(message.facts.functionName);
    this.#worker.postMessage({ type: 'load', sandbox: this.#sandboxes, ...message } satisfies LoadMessage);
    return this.#sandboxes;
  }

  invoke(message: Omit<InvokeMessage, 'type'>): void {
    this.#worker.postMessage({ type: 'invoke', ...message } satisfies InvokeMessage);
  }

  /** Ends it, and whatever runs in it, at once. */
  async end(): Promise<void> {
    this.isBroken = true;
    await this.#worker.terminate();
  }
}

/**
 * Threads share what they have compiled where this process is told a folder for it: a cold start is less work then. The process itself
 * keeps nothing there, since it would write when it ends, and the folder may be gone by then.
 */
function compileCache(): Record<string, string> {
  const folder = process.env.LOCAL_AWS_COMPILE_CACHE;
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}
