import { randomUUID } from 'node:crypto';
import { AwsError, type Json } from '../protocol/operation.ts';
import type { Activity } from '../time/activity.ts';
import type { Clock } from '../time/clock.ts';
import { tooLargeResult } from './limits.ts';
import type { FunctionFacts } from './protocol.ts';
import { type InvocationResult, Sandbox, type SandboxSettings } from './sandbox.ts';
import type { SandboxThread } from './sandbox-thread.ts';
import type { ThreadPool } from './thread-pool.ts';

/**
 * Wraps every invocation, so a test can lose, repeat, fail or kill it. `invoke` runs the function and kills it when `killed` aborts.
 * If the wrapper throws, the invocation fails with the error's name and message.
 */
export type InvokeWrapper = (
  functionName: string,
  event: Json,
  invoke: (event?: Json, killed?: AbortSignal) => Promise<InvocationResult>,
) => Promise<InvocationResult>;

/** How long Lambda takes to reconnect an inactive function. Milliseconds. */
const CONNECTION_TIME = 60_000;

export interface FunctionSettings {
  sandbox: SandboxSettings;
  pool: ThreadPool;
  /** The maximum number of invocations that run at the same time. Others wait. */
  concurrency: number;
  /** The reserved concurrency in the template, including waiting invocations. Others are refused. */
  reservedConcurrency: number;
  activity: Activity;
  clock: Clock;
  invokeWrapper?: InvokeWrapper;
}

/** A function and its sandboxes: one for each thread and set of environment variables in which it has run. */
export class LambdaFunction {
  readonly #settings: FunctionSettings;
  readonly #sandboxes = new WeakMap<SandboxThread, Map<string, Sandbox>>();
  /** Environment variables that override those of the settings. */
  #variables: Record<string, string> = {};
  readonly #since: number;
  #running = 0;
  #underWay = 0;
  #state: 'Active' | 'Inactive' | 'Pending' = 'Active';
  readonly #waiting: (() => void)[] = [];

  constructor(settings: FunctionSettings) {
    this.#settings = settings;
    this.#since = settings.clock.now();
  }

  get facts(): FunctionFacts {
    return this.#settings.sandbox.facts;
  }

  /** The function's configuration, as `ListVersionsByFunction` returns it. The variables of AWS itself are not among its environment. */
  get configuration(): Json {
    const { facts, environment } = this.#settings.sandbox;
    const own = Object.entries(environment).filter(([name]) => !/^(AWS|_)/.test(name));
    return {
      FunctionName: facts.functionName,
      FunctionArn: `${facts.functionArn}:${facts.version}`,
      Version: facts.version,
      LastModified: new Date(this.#since).toISOString().replace('Z', '+0000'),
      Environment: { Variables: Object.fromEntries(own) },
    };
  }

  has(variable: string): boolean {
    return Object.hasOwn(this.#settings.sandbox.environment, variable);
  }

  /** Sets the variables that override those of the settings. Sandboxes with other variables stay for later use. */
  useVariables(variables: Record<string, string>): void {
    this.#variables = variables;
  }

  /** Returns a version with this code and environment. It has its own sandboxes. */
  published(version: string): LambdaFunction {
    const { sandbox } = this.#settings;
    const facts = { ...sandbox.facts, version };
    return new LambdaFunction({ ...this.#settings, sandbox: { ...sandbox, facts } });
  }

  /**
   * Makes the function inactive, as Lambda does after weeks without an invocation. The next invocation is refused and reconnects the
   * function. Until then all invocations are refused (Lambda Developer Guide, "Lambda function states").
   */
  makeInactive(): void {
    this.#state = 'Inactive';
  }

  #checkActive(): void {
    if (this.#state === 'Active') return;
    if (this.#state === 'Pending') {
      const message =
        'The operation cannot be performed at this time. The function is currently in the following state: Pending';
      throw new AwsError('ResourceConflictException', message, 409);
    }
    this.#state = 'Pending';
    this.#settings.clock.setTimeout(() => {
      this.#state = 'Active';
    }, CONNECTION_TIME);
    const message = 'The function is inactive and its VPC connection is no longer available.';
    const advice = 'Wait for the VPC connection to reestablish and try again.';
    throw new AwsError('ResourceNotReadyException', `${message} ${advice}`, 502);
  }

  /**
   * Runs the function once. A failure of the function is returned, not thrown. Throws an AwsError if the function is inactive, or its reserved
   * concurrency is used up (TooManyRequestsException).
   */
  async invoke(payload: string, requestId: string = randomUUID()): Promise<InvocationResult> {
    this.#checkActive();
    if (this.#underWay >= this.#settings.reservedConcurrency) {
      const Reason = 'ReservedFunctionConcurrentInvocationLimitExceeded';
      throw new AwsError('TooManyRequestsException', 'Rate Exceeded.', 429, { Reason });
    }
    this.#underWay += 1;
    try {
      return await this.#invoke(payload, requestId);
    } finally {
      this.#underWay -= 1;
    }
  }

  #invoke(payload: string, requestId: string): Promise<InvocationResult> {
    const { activity, invokeWrapper } = this.#settings;
    return activity.track(async () => {
      if (!invokeWrapper) return this.#run(payload, requestId);
      try {
        const event = JSON.parse(payload) as Json;
        return await invokeWrapper(this.facts.functionName, event, (given = event, killed) =>
          this.#run(JSON.stringify(given), requestId, killed),
        );
      } catch (error) {
        const { name: errorType, message: errorMessage } = error as Error;
        return { payload: JSON.stringify({ errorType, errorMessage, trace: [] }), functionError: 'Unhandled' };
      }
    });
  }

  /** Loads the function before its first invocation, like provisioned concurrency. */
  async warm(): Promise<void> {
    await this.#inThread((sandbox) => sandbox.init());
  }

  async #run(payload: string, requestId: string, killed?: AbortSignal): Promise<InvocationResult> {
    if (this.#running < this.#settings.concurrency) this.#running += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      const message = { requestId, payload };
      // Loading the module does not count towards the timeout: Lambda has a separate limit for it.
      const result = await this.#inThread(async (sandbox) => {
        await sandbox.init();
        return sandbox.invoke(message, killed);
      });
      const refused = tooLargeResult(result.payload);
      return refused ? { payload: JSON.stringify(refused), functionError: 'Unhandled' } : result;
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }

  async #inThread<Result>(work: (sandbox: Sandbox) => Promise<Result>): Promise<Result> {
    const { pool } = this.#settings;
    const thread = await pool.acquire(this.facts.functionName);
    try {
      return await work(this.#sandboxIn(thread));
    } finally {
      pool.release(thread);
    }
  }

  #sandboxIn(thread: SandboxThread): Sandbox {
    const known = this.#sandboxes.get(thread) ?? new Map<string, Sandbox>();
    this.#sandboxes.set(thread, known);
    const variables = Object.keys(this.#variables).length === 0 ? '' : `?${new URLSearchParams(this.#variables)}`;
    const sandbox = known.get(variables) ?? new Sandbox(this.#settingsWith(variables), thread);
    known.set(variables, sandbox);
    return sandbox;
  }

  /** @param query makes the module's URL unique for these variables, because a thread loads each URL only once. */
  #settingsWith(query: string): SandboxSettings {
    const { facts, environment, ...others } = this.#settings.sandbox;
    return {
      ...others,
      facts: { ...facts, moduleUrl: `${facts.moduleUrl}${query}` },
      environment: { ...environment, ...variablesOf(facts), ...this.#variables },
    };
  }
}

function variablesOf({ functionName, version, memorySize }: FunctionFacts): Record<string, string> {
  return {
    AWS_LAMBDA_FUNCTION_NAME: functionName,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memorySize),
    AWS_LAMBDA_FUNCTION_VERSION: version,
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${functionName}`,
    AWS_LAMBDA_LOG_STREAM_NAME: `local/[${version}]`,
  };
}

/** Converts an AwsError to the result of an invocation that Lambda refused without running the function. Rethrows other errors. */
export function refusedResult(error: unknown): InvocationResult {
  if (!(error instanceof AwsError)) throw error;
  const { code: errorType, message: errorMessage } = error;
  return { payload: JSON.stringify({ errorType, errorMessage }), functionError: 'Unhandled' };
}
