/** Runs inside a worker thread: loads one handler, and invokes it for each message, one at a time. */
import { flushCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import type { FunctionErrorBody, InvokeMessage, WorkerMessage, WorkerSettings } from './protocol.ts';

type Handler = (event: unknown, context: object) => unknown;

const settings = workerData as WorkerSettings;
let requestId = '';

function post(message: WorkerMessage): void {
  parentPort?.postMessage(message);
}

/** Lines go through the same port as results, so that none arrives after the result of its invocation. */
function captureLines(stream: 'stdout' | 'stderr'): void {
  let partial = '';
  const write = (chunk: Uint8Array | string, encoding?: unknown, callback?: unknown): boolean => {
    const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    const lines = (partial + text).split('\n');
    partial = lines.pop() ?? '';
    for (const line of lines) post({ type: 'log', stream, requestId, line });
    const done = typeof encoding === 'function' ? encoding : callback;
    if (typeof done === 'function') process.nextTick(done);
    return true;
  };
  process[stream].write = write;
}

let timeOffset = 0;
let invokedAt = 0;

/**
 * A virtual clock stands still while a function works. The function's own time goes on, since there are limits that it keeps by it,
 * but slowly after the first moments: a slow machine must not bring it to its next appointment early. Milliseconds.
 */
const AT_FULL_SPEED = 50;
const SLOWNESS = 4;

function virtualNow(): number {
  const worked = SystemDate.now() - invokedAt;
  if (timeOffset === 0 || worked <= AT_FULL_SPEED) return invokedAt + timeOffset + worked;
  return invokedAt + timeOffset + AT_FULL_SPEED + Math.floor((worked - AT_FULL_SPEED) / SLOWNESS);
}

/** In virtual time a function sees the time of the embedded AWS, as its waits and records are judged by it. */
function shiftTime(offset: number): void {
  timeOffset = offset;
  invokedAt = SystemDate.now();
  if (offset === 0 || globalThis.Date !== SystemDate) return;
  globalThis.Date = new Proxy(SystemDate, {
    construct: (target, given, newTarget) =>
      Reflect.construct(target, given.length === 0 ? [virtualNow()] : given, newTarget),
    apply: (target) => new target(virtualNow()).toString(),
    get: (target, name, receiver) => (name === 'now' ? virtualNow : Reflect.get(target, name, receiver)),
  });
}

const SystemDate = globalThis.Date;

function errorBody(error: unknown): FunctionErrorBody {
  if (!(error instanceof Error)) return { errorType: typeof error, errorMessage: String(error), trace: [] };
  return { errorType: error.name, errorMessage: error.message, trace: (error.stack ?? '').split('\n') };
}

async function loadHandler(): Promise<Handler> {
  const { moduleUrl, handlerName } = settings;
  const loaded = (await import(moduleUrl)) as Record<string, unknown> & { default?: Record<string, unknown> };
  const handler = loaded[handlerName] ?? loaded.default?.[handlerName];
  if (typeof handler === 'function') return handler as Handler;
  const missing = new Error(`${handlerName} is undefined or not exported`);
  missing.name = 'Runtime.HandlerNotFound';
  throw missing;
}

function contextOf(message: InvokeMessage): object {
  const deadline = performance.now() + settings.timeout * 1000;
  return {
    awsRequestId: message.requestId,
    functionName: settings.functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: settings.functionArn,
    memoryLimitInMB: String(settings.memorySize),
    logGroupName: settings.logGroupName,
    logStreamName: settings.logStreamName,
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, Math.round(deadline - performance.now())),
  };
}

async function invoke(handler: () => Promise<Handler>, message: InvokeMessage): Promise<void> {
  requestId = message.requestId;
  shiftTime(message.timeOffset);
  try {
    const run = await handler();
    const result = await run(JSON.parse(message.payload), contextOf(message));
    post({ type: 'result', requestId: message.requestId, payload: JSON.stringify(result) ?? 'null' });
  } catch (error) {
    post({ type: 'failure', requestId: message.requestId, error: errorBody(error) });
  }
}

// The host's, not the function's.
delete process.env.NODE_COMPILE_CACHE;
captureLines('stdout');
captureLines('stderr');
const loading = loadHandler();
parentPort?.on('message', (message: InvokeMessage) => void invoke(() => loading, message));
// A handler that cannot be loaded fails the invocation, as on AWS, not the worker.
await loading.catch(() => undefined);
// A sandbox is ended without further ado, and would take what it has compiled with it.
flushCompileCache();
post({ type: 'ready' });
