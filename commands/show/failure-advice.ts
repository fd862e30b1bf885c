interface FailureAdvice {
  happened: string;
  /** `<ref>` stands for the orderRef. */
  toDo: string;
  /** Anchor of the section in docs/operations.md. Default: the name as a heading. */
  section?: string;
}

const RETRY = 'Resolve the operation create if it is open, then retry.';
const FUNCTION_TIMEOUT: FailureAdvice = {
  happened: 'A function did not finish in its time.',
  toDo: `${RETRY} If it happens again, read the log of the function.`,
  section: 'ended-by-aws',
};
const FAULT: FailureAdvice = {
  happened: 'This software or its rights have a fault.',
  toDo: 'Fix it and deploy, then retry.',
  section: 'any-other-name',
};

/**
 * The only source of what happened and what to do: for `show`, the console (its English), and the table of failures in
 * docs/operations.md (`npm run generate`). A name that ends with a dot stands for all names that begin with it.
 */
export const FAILURES: Record<string, FailureAdvice> = {
  OutcomeUnknown: {
    happened: 'A call broke off, and its outcome is unknown.',
    toDo: 'Resolve the operation create if it is open, then retry when the service is well.',
  },
  UnexpectedResponse: {
    happened: 'The service gave an answer that cannot be used.',
    toDo: 'Look at the answer in staging (snapshot.json, errors/), ask the service, then retry.',
  },
  ServiceUnavailable: {
    happened:
      'The order service, its authorization service or AWS could not be reached, or a certificate is not trusted.',
    toDo: 'Nothing while the order waits for the service. Otherwise correct a certificate or an address that the cause names, and retry when the service is back.',
  },
  Throttled: {
    happened: 'The service asked for a longer wait than the attempts or the stage allow.',
    toDo: 'Retry after the time that the cause names. If it happens again, run fewer orders at once.',
  },
  Unauthorized: {
    happened: 'The credentials, the token or the client certificate were refused or cannot be used.',
    toDo: 'Put the right credentials or client certificate into the secret, then retry.',
  },
  Rejected: {
    happened: 'The service refused a call.',
    toDo: 'Read its words (errors/ in staging), correct what they name, then retry.',
  },
  InvalidPackage: {
    happened: 'An accepted file is gone from the intake bucket.',
    toDo: 'Upload the missing file again, then retry.',
  },
  ValidationFailed: {
    happened: 'The service found problems in the application or its documents. The order is over.',
    toDo: 'Submit a corrected package under a new orderRef. The problems are in issues.json in staging.',
  },
  DocumentChanged: {
    happened: 'A document changed at the service between staging and signing.',
    toDo: 'Ask the service why, then retry: the document is staged and signed again.',
  },
  SigningKeyUnusable: {
    happened: 'The KMS key or its certificate chain cannot be used.',
    toDo: 'Fix what the cause names, then retry.',
  },
  SignaturesOverdue: {
    happened: 'The signatures did not come in time.',
    toDo: 'Retry: the order waits for the missing ones as long again. "loan-orders sign <ref>" can sign before.',
  },
  DecisionOverdue: {
    happened: 'The decision on the offers did not come in time.',
    toDo: 'Decide ("loan-orders confirm <ref>") and retry, in either order.',
  },
  SignatureUnusable: {
    happened: 'A signature was removed, or replaced by an invalid one.',
    toDo: 'Nothing: the order waits for a valid signature, and signatures-rejected/ in staging tells the signer.',
  },
  Superseded: {
    happened: 'Another execution drives the order, and this one stopped.',
    toDo: 'Nothing: "loan-orders show <ref>" shows how the order stands.',
    section: 'find-the-failure',
  },
  AbortedByOperator: {
    happened: 'An operator stopped the execution.',
    toDo: 'Retry when the reason is gone. If it stays, dismiss the order.',
    section: 'an-order-that-will-never-go-on',
  },
  DismissedByOperator: {
    happened: 'An operator ended the order on our side.',
    toDo: 'Nothing. A retry brings the order back.',
    section: 'an-order-that-will-never-go-on',
  },
  ABORTED: {
    happened: 'The execution was stopped in the AWS console.',
    toDo: RETRY,
    section: 'ended-by-aws',
  },
  TIMED_OUT: {
    happened: 'The execution was older than a year.',
    toDo: RETRY,
    section: 'ended-by-aws',
  },
  'States.Timeout': FUNCTION_TIMEOUT,
  'Sandbox.Timedout': FUNCTION_TIMEOUT,
  'Lambda.': {
    happened: 'Lambda could not run a function.',
    toDo: `Nothing while the order waits for the service. Otherwise check the account's Lambda concurrency and the log of the function. ${RETRY}`,
    section: 'ended-by-aws',
  },
  'Runtime.': {
    happened: 'A function died, or needed more memory than it has.',
    toDo: `Read the log of the function. ${RETRY}`,
    section: 'ended-by-aws',
  },
  'States.Runtime': FAULT,
  'States.TaskFailed': FAULT,
};

/** The names of failures, without those that only begin with a family's name. */
export const FAILURE_NAMES = Object.keys(FAILURES).filter((name) => !name.endsWith('.'));

/** The failure in the table with this name, or with a family that the name begins with. */
function nameIn(error: string): string | undefined {
  return [error, error.replace(/[.].*/s, '.')].find((name) => Object.hasOwn(FAILURES, name));
}

/** What happened, what to do, and the section of the operations page about it. */
export function failureAdvice(error: string, orderRef: string): { happened: string; fix: string; section: string } {
  const name = nameIn(error);
  const { happened, toDo, section = name?.toLowerCase() } = (name && FAILURES[name]) || FAULT;
  return { happened, fix: toDo.replaceAll('<ref>', orderRef), section: `docs/operations.md#${section}` };
}

/** Whether a failure may have this name: one of ours, or of a family. */
export function isFailureName(name: string): boolean {
  return nameIn(name) !== undefined;
}
