import { randomUUID } from 'node:crypto';
import type { Activity } from '../activity.ts';
import type { Clock } from '../clock.ts';
import type { Json } from '../json.ts';
import { type InvocationResult, Sandbox, type SandboxSettings } from './sandbox.ts';

/**
 * Stands around every attempt to run a function, so that a test can lose, repeat, fail or kill one. `invoke` runs it, and kills it
 * in the middle of its work when `killed` aborts; what is thrown here fails the invocation with the error's name and message.
 */
export type InvokeWrapper = (
  functionName: string,
  event: Json,
  invoke: (event?: Json, killed?: AbortSignal) => Promise<InvocationResult>,
) => Promise<InvocationResult>;

export interface FunctionSettings {
  name: string;
  arn: string;
  sandbox: Omit<SandboxSettings, 'timeOffset'>;
  /** How many sandboxes may run at once; further invocations wait. */
  concurrency: number;
  clock: Clock;
  activity: Activity;
  invokeWrapper?: InvokeWrapper;
}

/** A function with its pool of sandboxes. */
export class LambdaFunction {
  readonly name: string;
  readonly arn: string;
  readonly #settings: FunctionSettings;
  readonly #idle: Sandbox[] = [];
  readonly #all = new Set<Sandbox>();
  readonly #waiting: ((sandbox: Sandbox) => void)[] = [];
  #isClosed = false;

  constructor(settings: FunctionSettings) {
    this.name = settings.name;
    this.arn = settings.arn;
    this.#settings = settings;
  }

  /** Runs the function once. A failure of the function is a result; it never rejects. */
  invoke(payload: string, requestId: string = randomUUID()): Promise<InvocationResult> {
    const { activity, invokeWrapper } = this.#settings;
    return activity.track(async () => {
      if (!invokeWrapper) return this.#run(payload, requestId);
      try {
        const event = JSON.parse(payload) as Json;
        return await invokeWrapper(this.name, event, (given = event, killed) =>
          this.#run(JSON.stringify(given), requestId, killed),
        );
      } catch (error) {
        const { name: errorType, message: errorMessage } = error as Error;
        return { payload: JSON.stringify({ errorType, errorMessage, trace: [] }), functionError: 'Unhandled' };
      }
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#all].map((sandbox) => sandbox.close()));
  }

  async #run(payload: string, requestId: string, killed?: AbortSignal): Promise<InvocationResult> {
    const sandbox = await this.#acquire();
    try {
      return await sandbox.invoke({ requestId, payload }, killed);
    } finally {
      this.#release(sandbox);
    }
  }

  #acquire(): Sandbox | Promise<Sandbox> {
    const idle = this.#takeIdle();
    if (idle) return idle;
    if (!this.#isClosed && this.#all.size < this.#settings.concurrency) return this.#start();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** A sandbox may have broken while it was idle: a stray promise of the handler can end its process. */
  #takeIdle(): Sandbox | undefined {
    for (let sandbox = this.#idle.pop(); sandbox; sandbox = this.#idle.pop()) {
      if (!sandbox.isBroken) return sandbox;
      this.#all.delete(sandbox);
    }
    return undefined;
  }

  #start(): Sandbox {
    const timeOffset = () => virtualOffset(this.#settings.clock);
    const sandbox = new Sandbox({ ...this.#settings.sandbox, timeOffset });
    this.#all.add(sandbox);
    return sandbox;
  }

  #release(sandbox: Sandbox): void {
    if (sandbox.isBroken) this.#all.delete(sandbox);
    const next = this.#waiting.shift();
    if (next && !this.#isClosed) next(sandbox.isBroken ? this.#start() : sandbox);
    else if (!sandbox.isBroken) this.#idle.push(sandbox);
  }
}

/** How far a virtual clock stands from the machine's time; the system's own clock is no offset. */
function virtualOffset(clock: Clock): number {
  const offset = clock.now() - Date.now();
  return Math.abs(offset) < 1000 ? 0 : offset;
}
