import { MOST_ODD_READS } from '../plan/odd-answers.ts';
import type { Evidence, Failure } from './evidence.ts';

/** Checks that no execution failed without a reason. A retry would hide such a failure. */
export function failureProblems(evidence: Evidence): string[] {
  const without = evidence.failures.filter((failure) => isWithoutReason(failure, evidence));
  return [...new Set(without.map(({ error }) => `it failed as ${error} although there was no reason for it`))];
}

function isWithoutReason({ error, cause }: Failure, { plan }: Evidence): boolean {
  if (error === 'SigningKeyUnusable') return !plan.awsFaults.some(({ kind }) => kind === 'refused');
  if (error === 'DocumentChanged') return plan.replacedDocumentAfter === undefined;
  // Only so many unusable answers in a row may end an order.
  if (error !== 'UnexpectedResponse' || !cause.includes('Read order')) return false;
  return !plan.oddAnswers.some(({ call, times }) => call === 'read' && times > MOST_ODD_READS);
}
