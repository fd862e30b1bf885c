/**
 * Every timeout of an order, nested: a call to the order service ends before its function does, and the function before
 * the state machine's task. The tasks' seconds stand in `statemachine/order.asl.json`; a test holds the three together.
 */
export const timeouts = {
  /** A call without a file. Two of them, and a token, fit into a function. */
  callSeconds: 20,
  /** A call with a file, its transfer included. */
  fileSeconds: 780,
  /** A function that makes calls without files: a call, a repeat with a fresh token, two token requests. */
  functionSeconds: 85,
  /** A function that carries a file. */
  fileFunctionSeconds: 870,
} as const;
