import type { Call } from '../protocol/call.ts';
import { AwsError } from '../protocol/operation.ts';
import type { Clock } from '../time/clock.ts';
import { type AsyncInvokeSettings, DEFAULT_ASYNC_INVOKE, invokeAsync } from './async-invocation.ts';
import type { EventSource } from './event-source.ts';
import type { LambdaFunction } from './function.ts';
import { checkEventSize } from './limits.ts';
import { LATEST } from './protocol.ts';
import { ThreadPool, type ThreadPoolSettings } from './thread-pool.ts';

/** A function's name or ARN, with or without a version. */
const REFERENCE = /^(?:arn:aws:lambda:[^:]*:[^:]*:function:)?([^:]+)(?::([^:]+))?$/;

interface KnownFunction {
  latest: LambdaFunction;
  versions: Map<string, LambdaFunction>;
}

/** The function's name, and the version that `DeleteFunction` deletes. */
const PATH = /^\/2015-03-31\/functions\/([^/?]+)[^?]*(?:\?Qualifier=(\d+))?/;

/** Lambda: the functions of the account, and the operations `Invoke`, `ListVersionsByFunction` and `DeleteFunction` of the REST API. */
export class LambdaService {
  readonly #functions = new Map<string, KnownFunction>();
  /** The last version number of each function. Numbers are not reused, even if the function is deleted and created again. */
  readonly #numbers = new Map<string, number>();
  readonly #asyncSettings = new Map<string, AsyncInvokeSettings>();
  readonly #sources: EventSource[] = [];
  readonly #clock: Clock;
  readonly #threads: Omit<ThreadPoolSettings, 'memoryMebibytes'>;
  /** Pools by memory size, because V8 sets a thread's limit when it starts. */
  readonly #pools = new Map<number, ThreadPool>();

  constructor(clock: Clock, threads: Omit<ThreadPoolSettings, 'memoryMebibytes'>) {
    this.#clock = clock;
    this.#threads = threads;
  }

  pool(memoryMebibytes: number): ThreadPool {
    const pool = this.#pools.get(memoryMebibytes) ?? new ThreadPool({ ...this.#threads, memoryMebibytes });
    this.#pools.set(memoryMebibytes, pool);
    return pool;
  }

  /** Adds a function, or replaces its code and environment. Published versions do not change. */
  add(lambdaFunction: LambdaFunction): void {
    const { functionName } = lambdaFunction.facts;
    const known = this.#functions.get(functionName) ?? { versions: new Map() };
    this.#functions.set(functionName, { ...known, latest: lambdaFunction });
  }

  remove(functionName: string): void {
    this.#functions.delete(functionName);
    this.#asyncSettings.delete(functionName);
  }

  publish(reference: string): LambdaFunction {
    const { latest, versions } = this.#known(reference);
    const { functionName } = latest.facts;
    const number = (this.#numbers.get(functionName) ?? 0) + 1;
    const version = latest.published(String(number));
    this.#numbers.set(functionName, number);
    versions.set(String(number), version);
    return version;
  }

  /**
   * Replaces the variables of the previous call. A variable that some functions have is changed in those; any other is added to every
   * function. A function whose variables do not change keeps its loaded modules.
   */
  useVariables(variables: Record<string, string>): void {
    const all = [...this.#functions.values()].flatMap(({ latest, versions }) => [latest, ...versions.values()]);
    const known = Object.keys(variables).filter((name) => all.some((lambdaFunction) => lambdaFunction.has(name)));
    for (const lambdaFunction of all) {
      const own = Object.entries(variables).filter(([name]) => lambdaFunction.has(name) || !known.includes(name));
      lambdaFunction.useVariables(Object.fromEntries(own));
    }
  }

  makeInactive(functionName: string): void {
    const { latest, versions } = this.#known(functionName);
    for (const one of versions.size > 0 ? versions.values() : [latest]) one.makeInactive();
  }

  addEventSource(source: EventSource): void {
    this.#sources.push(source);
    source.start();
  }

  configureAsync(functionName: string, settings: AsyncInvokeSettings): void {
    this.#asyncSettings.set(functionName, settings);
  }

  /** Finds a function by name, ARN, or ARN with a version. Throws an AwsError (ResourceNotFoundException). */
  find(reference: string): LambdaFunction {
    const { latest, versions } = this.#known(reference);
    const version = REFERENCE.exec(reference)?.[2] ?? LATEST;
    const found = version === LATEST ? latest : versions.get(version);
    if (found) return found;
    throw notFound(reference);
  }

  #known(reference: string): KnownFunction {
    const known = this.#functions.get(REFERENCE.exec(reference)?.[1] ?? '');
    if (known) return known;
    throw notFound(reference);
  }

  /** Accepts an event and returns at once. The function's EventInvokeConfig determines retries and destinations. */
  invokeAsync(reference: string, payload: string): void {
    const lambdaFunction = this.find(reference);
    checkEventSize(payload, 'asynchronous');
    const settings = this.#asyncSettings.get(lambdaFunction.facts.functionName) ?? DEFAULT_ASYNC_INVOKE;
    invokeAsync(lambdaFunction, settings, this.#clock, payload);
  }

  /** Loads the newest version of each function, one after the other, because they share the same cores. */
  async warm(): Promise<void> {
    for (const { latest, versions } of this.#functions.values()) await ([...versions.values()].at(-1) ?? latest).warm();
  }

  async close(): Promise<void> {
    for (const source of this.#sources) source.close();
    await Promise.all([...this.#pools.values()].map((pool) => pool.close()));
  }

  async serve(call: Call): Promise<void> {
    const { operation, request, response } = call;
    const [, name = '', version = ''] = PATH.exec(request.url ?? '') ?? [];
    const reference = decodeURIComponent(name);
    if (operation === 'InvokeFunction') return this.#serveInvoke(reference, call);
    const { latest, versions } = this.#known(reference);
    if (operation === 'DeleteFunction') {
      if (!versions.delete(version)) throw notFound(reference);
      response.writeHead(204).end();
    } else {
      const Versions = [latest, ...versions.values()].map(({ configuration }) => configuration);
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ Versions }));
    }
  }

  async #serveInvoke(reference: string, { request: { headers }, response, body }: Call): Promise<void> {
    const payload = checkedPayload(body);
    const lambdaFunction = this.find(reference);
    const type = headers['x-amz-invocation-type'] ?? 'RequestResponse';
    if (type === 'Event') {
      this.invokeAsync(reference, payload);
      response.writeHead(202).end();
    } else if (type !== 'RequestResponse') {
      throw new AwsError('InvalidParameterValueException', `The invocation type ${type} is not supported.`);
    } else {
      checkEventSize(payload, 'synchronous');
      const result = await lambdaFunction.invoke(payload);
      response.writeHead(200, {
        'content-type': 'application/json',
        'x-amz-executed-version': lambdaFunction.facts.version,
        ...(result.functionError ? { 'x-amz-function-error': result.functionError } : {}),
      });
      response.end(result.payload);
    }
  }
}

function notFound(reference: string): AwsError {
  return new AwsError('ResourceNotFoundException', `Function not found: ${reference}`, 404);
}

function checkedPayload(body: string): string {
  try {
    JSON.parse(body || '{}');
    return body || '{}';
  } catch (error) {
    const reason = (error as Error).message;
    throw new AwsError('InvalidRequestContentException', `Could not parse request body into json: ${reason}`);
  }
}
