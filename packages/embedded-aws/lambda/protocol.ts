export interface ThreadData {
  /** The current virtual time, milliseconds since the epoch. Undefined for real time. */
  time: SharedArrayBuffer | undefined;
  /** How far the thread's clock is ahead of virtual time. Milliseconds. */
  skew: number;
  memoryMebibytes: number;
}

/** The unpublished version of a function, which each update changes. */
export const LATEST = '$LATEST';

export interface FunctionFacts {
  functionName: string;
  /** Without a version. */
  functionArn: string;
  /** `$LATEST`, or the number of a published version. */
  version: string;
  memorySize: number;
  /** Seconds. */
  timeout: number;
  /** The file URL of the handler's module, and the name of its export. */
  moduleUrl: string;
  handlerName: string;
}

export interface LoadMessage {
  type: 'load';
  /** Identifies the sandbox in this thread. */
  sandbox: number;
  facts: FunctionFacts;
  environment: Record<string, string>;
}

/** Invokes a sandbox's function. A thread runs one invocation at a time. */
export interface InvokeMessage {
  type: 'invoke';
  sandbox: number;
  requestId: string;
  /** JSON. */
  payload: string;
  /** When the invocation times out, in real time. Milliseconds since the epoch. */
  deadline: number;
}

/** Messages from the thread. `loaded` answers `load`, even if loading failed: the invocations then fail. */
export type ThreadMessage =
  | { type: 'loaded' }
  | { type: 'outOfMemory' }
  | { type: 'log'; stream: 'stdout' | 'stderr'; requestId: string; line: string }
  | { type: 'result'; requestId: string; payload: string }
  | { type: 'failure'; requestId: string; error: FunctionErrorBody };

export interface FunctionErrorBody {
  errorType: string;
  errorMessage: string;
  trace?: string[];
}
