import { randomUUID } from 'node:crypto';
import { AwsError } from '../protocol/errors.ts';
import { readBody, sendError } from '../protocol/json-service.ts';
import type { Clock } from '../time/clock.ts';
import type { AwsIncoming, AwsOutgoing } from '../transport/http.ts';
import { AsyncInvocation, type AsyncInvokeSettings, DEFAULT_ASYNC_INVOKE } from './async-invocation.ts';
import type { EventSource } from './event-source.ts';
import type { LambdaFunction } from './function.ts';
import { checkEventSize } from './limits.ts';
import { ThreadPool, type ThreadPoolSettings } from './thread-pool.ts';

const INVOCATIONS = /^\/2015-03-31\/functions\/([^/?]+)\/invocations(\?|$)/;

/** Lambda: the functions of the account, and the operation `Invoke` of the REST API. */
export class LambdaService {
  readonly #functions = new Map<string, LambdaFunction>();
  readonly #asyncSettings = new Map<string, AsyncInvokeSettings>();
  readonly #sources: EventSource[] = [];
  readonly #clock: Clock;
  readonly threads: ThreadPool;

  constructor(clock: Clock, threads: ThreadPoolSettings) {
    this.#clock = clock;
    this.threads = new ThreadPool(threads);
  }

  static serves(url: string): boolean {
    return url.startsWith('/2015-03-31/');
  }

  add(lambdaFunction: LambdaFunction): void {
    this.#functions.set(lambdaFunction.name, lambdaFunction);
  }

  /** Starts to pass messages of a queue on to a function. */
  addEventSource(source: EventSource): void {
    this.#sources.push(source);
    source.start();
  }

  /** Adds to the settings of the function's asynchronous invocations. */
  configureAsync(functionName: string, settings: Partial<AsyncInvokeSettings>): void {
    const known = this.#asyncSettings.get(functionName) ?? DEFAULT_ASYNC_INVOKE;
    this.#asyncSettings.set(functionName, { ...known, ...settings });
  }

  /** Finds a function by name, ARN, or ARN with a version. Throws an AwsError (ResourceNotFoundException). */
  find(reference: string): LambdaFunction {
    const name = reference.startsWith('arn:') ? reference.split(':')[6] : reference.split(':')[0];
    const found = this.#functions.get(name ?? '');
    if (found) return found;
    throw new AwsError('ResourceNotFoundException', `Function not found: ${reference}`, 404);
  }

  /** Accepts an event and returns at once. The function's asynchronous settings decide about retries and destinations. */
  invokeAsync(reference: string, payload: string): void {
    const lambdaFunction = this.find(reference);
    checkEventSize(payload, 'asynchronous');
    const settings = this.#asyncSettings.get(lambdaFunction.name) ?? DEFAULT_ASYNC_INVOKE;
    void new AsyncInvocation(lambdaFunction, settings, this.#clock, payload).attempt();
  }

  /** Loads every function before its first invocation. One after the other, because they share the same cores. */
  async warm(): Promise<void> {
    for (const lambdaFunction of this.#functions.values()) await lambdaFunction.warm();
  }

  async close(): Promise<void> {
    for (const source of this.#sources) source.close();
    await this.threads.close();
  }

  async serve(request: AwsIncoming, response: AwsOutgoing): Promise<void> {
    try {
      const body = (await readBody(request)).toString();
      const name = INVOCATIONS.exec(request.url ?? '')?.[1];
      if (request.method !== 'POST' || name === undefined) {
        throw new AwsError(
          'UnknownOperationException',
          `The embedded AWS has no ${request.method} ${request.url} of Lambda.`,
        );
      }
      await this.#invoke(decodeURIComponent(name), checkedPayload(body), request, response);
    } catch (error) {
      sendError(response, error);
    }
  }

  async #invoke(reference: string, payload: string, request: AwsIncoming, response: AwsOutgoing): Promise<void> {
    const lambdaFunction = this.find(reference);
    const type = request.headers['x-amz-invocation-type'] ?? 'RequestResponse';
    response.setHeader('x-amzn-requestid', randomUUID());
    if (type === 'DryRun') {
      response.writeHead(204).end();
    } else if (type === 'Event') {
      this.invokeAsync(reference, payload);
      response.writeHead(202).end();
    } else {
      checkEventSize(payload, 'synchronous');
      const result = await lambdaFunction.invoke(payload);
      response.writeHead(200, {
        'content-type': 'application/json',
        'x-amz-executed-version': '$LATEST',
        ...(result.functionError ? { 'x-amz-function-error': result.functionError } : {}),
      });
      response.end(result.payload);
    }
  }
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
