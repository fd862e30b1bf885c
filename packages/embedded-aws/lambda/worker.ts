/** The entry point of a worker thread, which has the sandboxes of functions and runs one invocation at a time. */
import { flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import {
  type FunctionErrorBody,
  type FunctionFacts,
  type InvokeMessage,
  LATEST,
  type LoadMessage,
  type ThreadData,
  type ThreadMessage,
} from './protocol.ts';
import { useVirtualTime } from './worker-time.ts';

type Handler = (event: unknown, context: object) => unknown;

interface LoadedSandbox {
  facts: FunctionFacts;
  environment: Record<string, string>;
  handler: Promise<Handler>;
}

const MEBIBYTE = 1024 * 1024;
/** Milliseconds. */
const LOOK_AT_BUFFERS = 50;

setFlagsFromString('--expose-gc');
/** `gc` exists only in new contexts, so functions cannot call it. */
const collectGarbage = runInNewContext('gc') as () => void;

const sandboxes = new Map<number, LoadedSandbox>();
let requestId = '';

function post(message: ThreadMessage): void {
  parentPort?.postMessage(message);
}

/** Sends log lines through the same port as results, so they arrive before the result of their invocation. */
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

function errorBody(error: unknown): FunctionErrorBody {
  if (!(error instanceof Error)) return { errorType: typeof error, errorMessage: String(error), trace: [] };
  return { errorType: error.name, errorMessage: error.message, trace: (error.stack ?? '').split('\n') };
}

function useEnvironment(environment: Record<string, string>): void {
  for (const name of Object.keys(process.env)) if (!Object.hasOwn(environment, name)) delete process.env[name];
  for (const [name, value] of Object.entries(environment)) if (process.env[name] !== value) process.env[name] = value;
}

async function load({ sandbox, facts, environment }: LoadMessage): Promise<void> {
  requestId = '';
  useEnvironment(environment);
  // The thread starts before its functions are known, so the option is applied here.
  process.setSourceMapsEnabled(environment.NODE_OPTIONS?.includes('--enable-source-maps') ?? false);
  const handler = loadHandler(facts);
  sandboxes.set(sandbox, { facts, environment, handler });
  // If the handler cannot be loaded, its invocations fail, as on AWS, but the thread goes on.
  await handler.catch(() => undefined);
  // Writes the compile cache now: the thread may be terminated at any time.
  flushCompileCache();
  post({ type: 'loaded' });
}

async function loadHandler({ moduleUrl, handlerName }: FunctionFacts): Promise<Handler> {
  const loaded = (await import(moduleUrl)) as Record<string, unknown> & { default?: Record<string, unknown> };
  const handler = loaded[handlerName] ?? loaded.default?.[handlerName];
  if (typeof handler === 'function') return handler as Handler;
  const missing = new Error(`${handlerName} is undefined or not exported`);
  missing.name = 'Runtime.HandlerNotFound';
  throw missing;
}

function contextOf({ facts, environment }: LoadedSandbox, { requestId, deadline }: InvokeMessage): object {
  const now = () => performance.timeOrigin + performance.now();
  return {
    awsRequestId: requestId,
    functionName: facts.functionName,
    functionVersion: facts.version,
    invokedFunctionArn: facts.version === LATEST ? facts.functionArn : `${facts.functionArn}:${facts.version}`,
    memoryLimitInMB: String(facts.memorySize),
    logGroupName: environment.AWS_LAMBDA_LOG_GROUP_NAME,
    logStreamName: environment.AWS_LAMBDA_LOG_STREAM_NAME,
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, Math.round(deadline - now())),
  };
}

/** The X-Ray trace header, which Lambda sets even if tracing is off. */
function traceOf(invocation: string): string {
  const digits = invocation.replaceAll('-', '');
  return `Root=1-${digits.slice(0, 8)}-${digits.slice(8)};Parent=${digits.slice(16)};Sampled=0`;
}

async function invoke(message: InvokeMessage): Promise<void> {
  const loaded = sandboxes.get(message.sandbox) as LoadedSandbox;
  requestId = message.requestId;
  useEnvironment({ ...loaded.environment, _X_AMZN_TRACE_ID: traceOf(message.requestId) });
  try {
    const run = await loaded.handler;
    const result = await run(JSON.parse(message.payload), contextOf(loaded, message));
    post({ type: 'result', requestId: message.requestId, payload: JSON.stringify(result) ?? 'null' });
  } catch (error) {
    post({ type: 'failure', requestId: message.requestId, error: errorBody(error) });
  }
}

/** Importing `node:http` reads all its properties. These load undici, which takes 45 ms of CPU time in each thread. */
const http = process.getBuiltinModule('node:http') as { [name: string]: unknown };
for (const name of ['WebSocket', 'CloseEvent', 'MessageEvent']) delete http[name];

const { time, skew, memoryMebibytes } = workerData as ThreadData;
const hasTooManyBuffers = () => process.memoryUsage().arrayBuffers > memoryMebibytes * MEBIBYTE;
setInterval(() => {
  if (!hasTooManyBuffers()) return;
  // Buffers count until they are freed. V8 frees them in another thread, for which the second collection waits.
  collectGarbage();
  collectGarbage();
  if (hasTooManyBuffers()) post({ type: 'outOfMemory' });
}, LOOK_AT_BUFFERS).unref();
if (time) useVirtualTime(time, skew);
captureLines('stdout');
captureLines('stderr');
parentPort?.on('message', (message: LoadMessage | InvokeMessage) => {
  void (message.type === 'load' ? load(message) : invoke(message));
});
