/**
 * Every timeout of an order, nested: a call to the order service ends before its function does, and the function before
 * the state machine's task. The tasks' seconds stand in `statemachine/order.asl.json`; a test holds the three together.
 */
export const timeouts = {
  /** A call without a file, and a request for a token. */
  callSeconds: 15,
  /** A call with a file, its transfer included. */
  fileSeconds: 780,
  /** A call with a file may stand still this long: a service may look at a large file before it answers. */
  fileIdleSeconds: 120,
  /** A function that makes calls without files: two calls, each with a wait for the token and a request for it. */
  functionSeconds: 150,
  /** A function that carries a file: as long as Lambda allows, but for a margin to end in. */
  fileFunctionSeconds: 870,
} as const;
