/**
 * What happened and what to do, by the name of the failure. A name that ends with a dot stands for all names that begin so, `other` for
 * any other. docs/operations.md has a section for each.
 */
export const failures = {
  OutcomeUnknown:
    'A call broke off, and nobody knows what it did: resolve the creation if the page offers it, then retry when the service is well.',
  UnexpectedResponse:
    'The service answered something that cannot be used: look at its words and the snapshot on this page, ask the service, then retry.',
  ServiceUnavailable:
    'The service or AWS could not be reached, or its certificate is not trusted: if the order does not go on by itself, retry when the service is back.',
  Throttled:
    'The service asked to wait for longer than the attempts last: retry after the time that the cause names, and run fewer orders at once if it happens again.',
  Unauthorized:
    'The credentials, the token or the client certificate were refused: put the right ones into the secret, then retry.',
  Rejected: 'The service refused a call: look at its words on this page, correct what they name, then retry.',
  InvalidPackage: 'A file that was accepted is gone from the intake bucket: upload it again, then retry.',
  ValidationFailed:
    'The service found problems in the application or its documents, and the order is over: submit a corrected package under a new reference.',
  DocumentChanged:
    'A document changed between staging and signing: ask the service why, then retry, and the document is staged and signed anew.',
  SigningKeyUnusable:
    'The KMS key or its certificate chain cannot be used: fix what the cause names, then retry, or hand in signatures of another signer before.',
  SignaturesOverdue:
    'The signatures did not come in time: retry, and the order waits for the missing ones as long again.',
  DecisionOverdue: 'The decision on the offers did not come in time: decide and retry, in either order.',
  SignatureUnusable:
    'A signature was removed or replaced by a bad one: nothing was sent, and the order waits for a valid signature.',
  Superseded: 'Another execution drives the order, and this one stopped: there is nothing to do.',
  AbortedByOperator: 'An operator stopped the execution: retry when the reason has gone.',
  DismissedByOperator: 'An operator ended the order on our side: there is nothing to do, and a retry brings it back.',
  ABORTED: 'The execution was stopped in the AWS console: resolve the creation if the page offers it, then retry.',
  TIMED_OUT: 'The execution was older than a year: resolve the creation if the page offers it, then retry.',
  'States.Timeout': 'A function did not finish in its time: retry, and read its log if it happens again.',
  'Sandbox.Timedout': 'A function did not finish in its time: retry, and read its log if it happens again.',
  'Lambda.':
    "Lambda could not run a function: check the account's Lambda concurrency and the function's log, then retry if the order does not go on by itself.",
  'Runtime.': 'A function died: read its log, then retry if the order does not go on by itself.',
  'States.Runtime': 'This software or its rights have a fault: have it fixed and deployed, then retry.',
  'States.TaskFailed': 'This software or its rights have a fault: have it fixed and deployed, then retry.',
  other: 'This software or its rights have a fault: have it fixed and deployed, then retry.',
};

export type FailureWords = typeof failures;

/** What happened and what to do, in the words that are given. */
export function failureWords(words: FailureWords, error: string): string {
  const family = error.replace(/[.].*/s, '.');
  const known = [error, family].find((name) => Object.hasOwn(words, name)) ?? 'other';
  return words[known as keyof FailureWords];
}
