/**
 * Every timeout of an order, nested: a call to the order service ends before its function does, and the function before
 * the state machine's task. The tasks' seconds stand in `statemachine/order.asl.json`; a test holds the three together.
 */
export const timeouts = {
  /** A call without a file, and a request for a token. */
  callSeconds: 15,
  /** A call with a file, its transfer included. */
  fileSeconds: 780,
  /**
   * Either of the two calls of a function that makes two with files: the document is downloaded once more before its signature is
   * sent. Throttled and answered (30 + 33 + 370), twice: 866.
   */
  secondFileSeconds: 370,
  /** A call with a file may stand still this long: a service may look at a large file before it answers. */
  fileIdleSeconds: 120,
  /** The longest wait for a token: for another function that asks for one (functions/shared/token/fleet-token.ts), then for one's own. */
  tokenSeconds: 33,
  /**
   * A call that is throttled begins for the last time this long after it first began, the waits for a short `Retry-After` included
   * (functions/shared/service/retry-after.ts).
   */
  patienceSeconds: 30,
  /**
   * A function that makes calls without files. The longest reads the order to reconcile (33 + 15), is throttled and waits (30), is
   * answered (33 + 15), and reads once more because it was refused (15): 141.
   */
  functionSeconds: 150,
  /** A function that carries a file, as long as Lambda allows but for a margin to end in: waits (30), token and call (33 + 780). */
  fileFunctionSeconds: 870,
} as const;
