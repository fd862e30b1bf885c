export interface ThreadData {
  /** The virtual time in milliseconds since the epoch. Undefined for the machine's time. */
  time: SharedArrayBuffer | undefined;
  /** How far the thread's clock is ahead of the virtual time. Milliseconds. */
  skew: number;
  memoryMebibytes: number;
}

/** The version of a function that changes with each update. */
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
  /** The file URL of the Handler's module, and the name of its export. */
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

/** To the thread: invoke the function of a sandbox. A thread gets one invocation at a time. */
export interface InvokeMessage {
  type: 'invoke';
  sandbox: number;
  requestId: string;
  /** JSON. */
  payload: string;
  /** When the invocation times out, in the machine's time. Milliseconds since the epoch. */
  deadline: number;
}

/** From the thread. `loaded` answers `load`, even if the handler could not be loaded: then its invocations fail. */
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
