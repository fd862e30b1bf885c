/** What a worker is told when it starts. */
export interface WorkerSettings {
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

/** To the worker. */
export interface InvokeMessage {
  requestId: string;
  /** JSON. */
  payload: string;
  /** What to add to the machine's time: not zero when the embedded AWS runs in virtual time. */
  timeOffset: number;
}

/** From the worker. `ready` comes once, before anything is invoked. */
export type WorkerMessage =
  | { type: 'ready' }
  | { type: 'log'; stream: 'stdout' | 'stderr'; requestId: string; line: string }
  | { type: 'result'; requestId: string; payload: string }
  | { type: 'failure'; requestId: string; error: FunctionErrorBody };

/** The body of a failed invocation, as Lambda answers it. */
export interface FunctionErrorBody {
  errorType: string;
  errorMessage: string;
  trace?: string[];
}
