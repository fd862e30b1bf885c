/**
 * The timeouts of a call, nested: a call to the order service ends before its function does, and the function before the
 * state machine's task. The tasks' timeouts are in `statemachine/order.asl.json`; a test compares all three.
 */
export const timeouts = {
  /** A call without a file, and a request for a token. */
  callSeconds: 15,
  /** A call with a file, including the transfer. */
  fileSeconds: 780,
  /**
   * Each of the two file calls of the function that downloads a document again before it sends the signature: 2 * (33 + 370) = 806.
   */
  secondFileSeconds: 370,
  /** How long a file call may be idle: a service may process a large file before it answers. */
  fileIdleSeconds: 120,
  /** The longest wait for a token: first for another function's request (core/service/token-renewal.ts), then for our own. */
  tokenSeconds: 33,
  /**
   * A function without file calls. The longest one reads the order to reconcile (33 + 15), calls (33 + 15), and reads again after a
   * refusal (15): 111.
   */
  functionSeconds: 150,
  /** The longest check of a signature: a Streebog digest of 256 MiB (51), and the search for what was signed instead. */
  judgeSeconds: 75,
  /** A function with file calls: token and call (33 + 780). Lambda allows 900. */
  fileFunctionSeconds: 870,
} as const;

/** Milliseconds, for each SDK client that transfers no files: no call may take longer than the function may run. */
export const SDK_CALL = { connectionTimeout: 2_000, requestTimeout: 10_000, throwOnRequestTimeout: true };

/** Milliseconds, for clients that transfer files: a transfer may take any time as long as bytes flow. */
export const SDK_TRANSFER = { connectionTimeout: 2_000, socketTimeout: 30_000 };
