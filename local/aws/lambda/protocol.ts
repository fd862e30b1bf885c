import type { MessagePort } from 'node:worker_threads';

/** What a thread is given when it starts. */
export interface ThreadData {
  /** The embedded AWS, `host:port`, and the port that requests to it take instead of a socket; absent where there is none. */
  aws?: { host: string; port: MessagePort };
  /** The virtual time that the embedded AWS lives in, milliseconds since the epoch; undefined where it is the machine's. */
  time: SharedArrayBuffer | undefined;
}

/** What a sandbox is told of its function. */
export interface FunctionFacts {
  functionName: string;
  functionArn: string;
  memorySize: number;
  /** Seconds. */
  timeout: number;
  /** The module that the Handler names, as a file URL, and the export in it. */
  moduleUrl: string;
  handlerName: string;
  logGroupName: string;
  logStreamName: string;
}

/** To the thread: make a sandbox. */
export interface LoadMessage {
  type: 'load';
  /** Names the sandbox in this thread. */
  sandbox: number;
  facts: FunctionFacts;
  /** The whole of the function's `process.env`. */
  environment: Record<string, string>;
}

/** To the thread: invoke a sandbox's function. A thread is given one invocation at a time. */
export interface InvokeMessage {
  type: 'invoke';
  sandbox: number;
  requestId: string;
  /** JSON. */
  payload: string;
  /** When the invocation runs out of time, by the machine's clock: milliseconds since the epoch. */
  deadline: number;
}

/** From the thread. `loaded` answers `load`, also where the handler could not be loaded: its invocations fail then. */
export type ThreadMessage =
  | { type: 'loaded' }
  | { type: 'log'; stream: 'stdout' | 'stderr'; requestId: string; line: string }
  | { type: 'result'; requestId: string; payload: string }
  | { type: 'failure'; requestId: string; error: FunctionErrorBody };

/** The body of a failed invocation, as Lambda answers it. */
export interface FunctionErrorBody {
  errorType: string;
  errorMessage: string;
  trace?: string[];
}
