import type { Evidence } from './evidence.ts';

/** Checks that no execution failed with an error for which there was no reason. A retry would hide such a failure. */
export function failureProblems(evidence: Evidence): string[] {
  return [...new Set(evidence.failures)].filter((error) => isWithoutReason(error, evidence)).map(describe);
}

function isWithoutReason(error: string, { plan }: Evidence): boolean {
  return error === 'SigningKeyUnusable' && !plan.awsFaults.some(({ kind }) => kind === 'refused');
}

function describe(error: string): string {
  return `it failed as ${error} although there was no reason for it`;
}
