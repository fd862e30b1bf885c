import type { OrderDetails } from '../stage/record.ts';

/** What mends a failure, by its name. `<ref>` stands for the orderRef. docs/operations.md has a section for each, with all of it. */
const MENDS: Record<string, string> = {
  OutcomeUnknown: 'Retry when the service is well: it is looked first at what became of the call.',
  UnexpectedResponse: 'Look at the answer in staging (snapshot.json, errors/), ask the service, then retry.',
  ServiceUnavailable:
    'Retry when the service is back. If the cause names a certificate or an address, correct that first.',
  Throttled: 'Retry after the time that the cause names. If it happens again, run fewer orders at once.',
  Unauthorized: 'Put the right credentials or client certificate into the secret, then retry.',
  Rejected: "Look at the service's words, correct what they name, then retry.",
  InvalidPackage: 'Upload the missing file again, then retry.',
  ValidationFailed: 'Upload a corrected package under a new orderRef. The issues are in issues.json in staging.',
  DocumentChanged: 'Ask the service why the document changed, then retry: it is staged anew, and signed anew.',
  SigningKeyUnusable: 'Fix what the cause names of the key or its certificate chain, then retry.',
  SignaturesOverdue:
    'Retry: it waits for the missing signatures as long again. "loan-orders sign <ref>" can sign before.',
  DecisionOverdue: 'Run "loan-orders confirm <ref>", and retry, in either order.',
  SignatureUnusable:
    'Nothing: the order waits for a valid signature, and signatures-rejected/ in staging tells the signer.',
  Superseded: 'Nothing: another execution drives the order.',
  AbortedByOperator: 'Retry when the reason has gone. If it never will, dismiss the order.',
  DismissedByOperator: 'Nothing. A retry brings the order back.',
  ABORTED: 'Retry. If the operation create is open, resolve it first.',
  TIMED_OUT: 'Retry: the next execution goes on from there.',
  'States.Timeout': "Retry. If it happens again, read the function's log.",
  'Sandbox.Timedout': "Retry. If it happens again, read the function's log.",
  'States.Runtime': 'It is a fault of this software: fix it and deploy, then retry.',
  'States.TaskFailed': 'It is a fault of this software: fix it and deploy, then retry.',
};

/** Failures whose names only begin so. */
const FAMILIES: [prefix: string, anchor: string, mend: string][] = [
  ['Lambda.', 'lambda', "Check the account's Lambda concurrency and the function's log, then retry."],
  ['Runtime.', 'runtime', "Read the function's log, then retry."],
];

/** What mends this failure, and the section of the operations page about it. */
export function failureAdvice(error: string, orderRef: string): { mend: string; section: string } {
  const page = 'docs/operations.md#';
  const mend = Object.hasOwn(MENDS, error) ? MENDS[error] : undefined;
  if (mend !== undefined) {
    return { mend: mend.replaceAll('<ref>', orderRef), section: page + error.toLowerCase().replaceAll('.', '') };
  }
  const [, anchor = 'any-other-name', familyMend = MENDS['States.Runtime'] ?? ''] =
    FAMILIES.find(([prefix]) => error.startsWith(prefix)) ?? [];
  return { mend: familyMend, section: page + anchor };
}

/** Whether a failure may have this name: one of ours, or of a family. */
export function isFailureName(name: string): boolean {
  return FAILURES_WITH_ADVICE.includes(name) || FAMILIES.some(([prefix]) => name.startsWith(prefix));
}

/** The names that have advice of their own, for the test that compares them with the operations page. */
export const FAILURES_WITH_ADVICE = Object.keys(MENDS);

/** The advice about the failure of an order, if it has one. */
export function adviceOn({ order: { failure, orderRef } }: Pick<OrderDetails, 'order'>) {
  return failure && failureAdvice(failure.error, orderRef);
}
